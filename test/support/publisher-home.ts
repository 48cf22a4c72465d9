// Shared by tests of alerts and devices for Home Assistant: a publisher without Node-RED, connected to a simulated Home Assistant.
import type { Device } from "../../src/mqtt/home-assistant/device";
import { FlatPublisher } from "./flat-publisher";
import { alertUpdateOf } from "../../src/messages/reader";
import type { Site } from "../../src/models/site";
import type { IncomingTotals } from "../../src/mqtt/home-assistant/totals";
import type { Publication, PublishRule } from "../../src/mqtt/publications";
import type { StateGroup } from "../../src/stored-state";
import { MINUTE } from "../../src/time-units";
import { HomeAssistant } from "./home-assistant";
import { PUBLISH_RULE } from "./publish-rule";

export const NOW = Date.UTC(2026, 5, 10, 10, 7);

type Change = { change: string; alertKey: string; severity?: string };

export class PublisherHome {
  readonly home = new HomeAssistant();
  readonly rule: PublishRule;
  publisher: FlatPublisher;
  now = NOW;

  constructor(rule: Partial<PublishRule> = {}, group?: StateGroup<Device>) {
    this.rule = { ...PUBLISH_RULE, ...rule };
    this.publisher = new FlatPublisher(this.rule, new Map(), NOW, group);
  }

  /** Starts again with what would be stored, read back from JSON. */
  restart(): void {
    const stored = JSON.parse(JSON.stringify([...this.publisher.devices])) as [string, Device][];
    this.publisher = new FlatPublisher(this.rule, new Map(stored), this.now);
  }

  /** A message that lists alerts, of the account or of one site. */
  list(payload: object[], siteId?: string): Publication[] {
    const alerts = payload.map(() => ({}));
    return this.#update({ payload, energy: { kind: "alerts", alerts }, ...(siteId && { siteId }) });
  }

  /** A message for the change of one alert. */
  change(energy: Change, payload: object = {}, siteId?: string): Publication[] {
    return this.#update({
      payload,
      energy: { kind: "alerts", severity: "LOW", ...energy },
      ...(siteId && { siteId }),
    });
  }

  /** A message with the details of a site. */
  details(site: Site): Publication[] {
    return this.#receive(this.publisher.updateEquipment(site, this.now));
  }

  /** A message with all sites, or with some. */
  sites(sites: Site[], isComplete = true): Publication[] {
    return this.#receive(this.publisher.updateSites(sites, isComplete, this.now));
  }

  /** A live record of a system that has just ended. */
  record(siteId: string, systemId: string): Publication[] {
    const [startTime, endTime] = [this.now - 5 * MINUTE, this.now].map((at) => new Date(at).toISOString());
    const record = { startTime: startTime ?? "", endTime: endTime ?? "", grid: { power: 1 } };
    const incoming = {
      address: { siteId, systemId },
      record,
      start: this.now - 5 * MINUTE,
      end: this.now,
      isLive: true,
      basis: {},
      validUntil: undefined,
      energy: {},
    };
    return this.#receive(this.publisher.publish(incoming, this.now));
  }

  totals(incoming: IncomingTotals): Publication[] {
    return this.#receive(this.publisher.updateTotals(incoming, this.now));
  }

  birth(): Publication[] {
    return this.#receive(this.publisher.birth(this.now));
  }

  /** What is due after some time. */
  after(milliseconds: number): Publication[] {
    this.now += milliseconds;
    return this.#receive(this.publisher.due(this.now));
  }

  #update(message: object): Publication[] {
    const update = alertUpdateOf(message);
    return this.#receive(update ? this.publisher.updateAlerts(update, this.now) : []);
  }

  #receive(publications: Publication[]): Publication[] {
    this.home.receive(publications);
    return publications;
  }
}

/** The topics of messages, without the one that says that Node-RED publishes. */
export const topicsOf = (publications: Publication[]): string[] =>
  publications.map(({ topic }) => topic).filter((topic) => topic !== "energy/availability");
