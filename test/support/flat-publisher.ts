// A publisher whose messages come all at once, for tests that look at them.
import type { AlertUpdate } from "../../src/messages/reader";
import type { Site } from "../../src/models/site";
import type { Device } from "../../src/mqtt/home-assistant/device";
import { DeviceTable } from "../../src/mqtt/home-assistant/device-table";
import { Publisher, type Steps } from "../../src/mqtt/home-assistant/publisher";
import type { IncomingTotals } from "../../src/mqtt/home-assistant/totals";
import type { IncomingRecord, Publication, PublishRule } from "../../src/mqtt/publications";
import type { StateGroup } from "../../src/stored-state";

export class FlatPublisher {
  readonly #publisher: Publisher;

  /** The tests set whether the time is sure, and let it jump. */
  readonly clock = { isSure: true, knownSince: Number.NEGATIVE_INFINITY };

  constructor(rule: PublishRule, devices: DeviceTable["devices"], now: number, group?: StateGroup<Device>) {
    const table = new DeviceTable(rule.prefix, [...devices.values()], group);
    this.#publisher = new Publisher(rule, table, now, this.clock);
  }

  /** The clock is set, and there is no service to say how much time has passed. */
  jump(): void {
    this.clock.knownSince = 0;
  }

  get table(): DeviceTable {
    return this.#publisher.table;
  }

  get devices(): DeviceTable["devices"] {
    return this.table.devices;
  }

  publish(given: IncomingRecord, now: number): Publication[] {
    return this.#publisher.publish(given, now);
  }

  updateTotals(incoming: IncomingTotals, now: number): Publication[] {
    return flat(this.#publisher.updateTotals(incoming, now));
  }

  updateSites(sites: Site[], isComplete: boolean, now: number): Publication[] {
    return flat(this.#publisher.updateSites(sites, isComplete, now));
  }

  updateAlerts(update: AlertUpdate, now: number): Publication[] {
    return flat(this.#publisher.updateAlerts(update, now));
  }

  updateEquipment(site: Site, now: number): Publication[] {
    return flat(this.#publisher.updateEquipment(site, now));
  }

  birth(now: number): Publication[] {
    return flat(this.#publisher.birth(now));
  }

  due(now: number): Publication[] {
    return flat(this.#publisher.due(now));
  }

  nextDue(): number | undefined {
    return this.#publisher.nextDue();
  }

  farewell(now: number): Publication[] {
    return flat(this.#publisher.farewell(now));
  }
}

function flat(steps: Steps): Publication[] {
  return [...steps].flat();
}
