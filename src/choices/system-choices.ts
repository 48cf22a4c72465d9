// The systems of a site as the editor lists them, from the details of the site.
import { MAX_NAME_LENGTH } from "../limits";
import { isServiceObject } from "../models/service-object";
import type { SiteDetails, System } from "../models/site";
import { generationOf, hasMeter, systemIdOf, systemsOf } from "../models/site-reader";
import { shownText } from "../shown-text";
import type { SystemChoice } from "./choices";

/** More than any site has; telling the meters of far more apart would take seconds. */
const MAX_SYSTEMS = 200;

/** In the order of the service; a system that is listed twice counts once. Systems without a valid id are left out. */
export function systemChoices(site: SiteDetails): SystemChoice[] {
  const systems = new Map<string, SystemChoice>();
  for (const system of systemsOf(site)) {
    const systemId = systemIdOf(system);
    if (systemId === undefined || systems.has(systemId)) continue;
    if (systems.size >= MAX_SYSTEMS) break;
    systems.set(systemId, choiceOf(site, system, systemId));
  }
  return [...systems.values()];
}

function choiceOf(site: SiteDetails, system: System, systemId: string): SystemChoice {
  const generation = generationOf(system);
  const capacity = capabilityOf(system, "storage", "capacityEnergy");
  const solarPower = capabilityOf(system, "solar", "inverterCapacityPower");
  return {
    systemId,
    ...(generation === undefined ? {} : { generation: shownText(generation, MAX_NAME_LENGTH) }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(solarPower === undefined ? {} : { solarPower }),
    hasMeter: hasMeter(site, systemId),
  };
}

function capabilityOf({ capabilities }: System, group: string, field: string): number | undefined {
  const fields = isServiceObject(capabilities) ? capabilities[group] : undefined;
  const value = isServiceObject(fields) ? fields[field] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
