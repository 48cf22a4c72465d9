// Shared by tests of alerts and devices for Home Assistant: a publisher without Node-RED, connected to a simulated Home Assistant.
import { MessagePublisher } from "../../src/mqtt/home-assistant/message-publisher";
import { alertNewsOf } from "../../src/messages/fact-reader";
import type { Site } from "../../src/models/site";
import type { Publication, PublishRule } from "../../src/mqtt/publications";
import { MINUTE } from "../../src/time-units";
import { HomeAssistant } from "./home-assistant";
import { PUBLISH_RULE } from "./publish-rule";

export const NOW = Date.UTC(2026, 5, 10, 10, 7);

type Change = { change: string; alertKey: string; severity?: string };

export class FacetHome {
  readonly home = new HomeAssistant();
  readonly rule: PublishRule;
  publisher: MessagePublisher;
  now = NOW;

  constructor(rule: Partial<PublishRule> = {}) {
    this.rule = { ...PUBLISH_RULE, ...rule };
    this.publisher = new MessagePublisher(this.rule, { devices: new Map(), facets: new Map() }, NOW);
  }

  /** Starts again with what would be stored, read back from JSON. */
  restart(): void {
    const { devices, facets } = this.publisher.home;
    const stored = <Value>(map: ReadonlyMap<string, Value>): Map<string, Value> =>
      new Map(JSON.parse(JSON.stringify([...map])) as [string, Value][]);
    this.publisher = new MessagePublisher(
      this.rule,
      { devices: stored(devices), facets: stored(facets) },
      this.now,
    );
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
    return this.#receive(this.publisher.updateDevices(site, this.now));
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
    };
    return this.#receive(this.publisher.publish(incoming, this.now));
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
    const news = alertNewsOf(message);
    return this.#receive(news ? this.publisher.updateAlerts(news, this.now) : []);
  }

  #receive(publications: Publication[]): Publication[] {
    this.home.receive(publications);
    return publications;
  }
}

/** The topics of messages, without the one that says that Node-RED publishes. */
export const topicsOf = (publications: Publication[]): string[] =>
  publications.map(({ topic }) => topic).filter((topic) => topic !== "energy/availability");
