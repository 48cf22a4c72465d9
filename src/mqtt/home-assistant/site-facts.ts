// What site lists say about the devices in Home Assistant: the names of sites, and the models and inverters of systems.
import type { SeriesAddress } from "../../ledger/record-id";
import { firstText } from "../../models/service-object";
import { generationOf, type Site, siteIdOf, systemIdOf, systemsOf } from "../../models/site";
import { deviceId } from "./device-id";
import type { DeviceProfile } from "./known-devices";

type Facts = Pick<DeviceProfile, "siteName" | "model" | "inverterType">;

export class SiteFacts {
  readonly #names = new Map<string, string>();
  readonly #systems = new Map<string, Facts>();

  learn(sites: Site[]): void {
    for (const site of sites) {
      const siteId = siteIdOf(site);
      const name = firstText(site, ["siteName"]);
      if (name !== undefined) this.#names.set(siteId, name);
      for (const system of systemsOf(site)) {
        const systemId = systemIdOf(system);
        const model = generationOf(system);
        const inverterType = firstText(system.capabilities?.solar ?? {}, ["inverterType"]);
        this.#systems.set(keyOf({ siteId, ...(systemId === undefined ? {} : { systemId }) }), {
          ...(model === undefined ? {} : { model }),
          ...(inverterType === undefined ? {} : { inverterType }),
        });
      }
    }
  }

  /** What is known about a device; empty if no list had it. */
  of({ siteId, systemId }: SeriesAddress): Facts {
    const siteName = this.#names.get(siteId);
    const system = systemId === undefined ? {} : this.#systems.get(keyOf({ siteId, systemId }));
    return { ...(siteName === undefined ? {} : { siteName }), ...system };
  }
}

function keyOf(address: SeriesAddress): string {
  return deviceId("", address);
}
