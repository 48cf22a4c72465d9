// Builds sites as the service returns them: in the list with capabilities, in the details with devices as well.
import type { Alert } from "../models/alert";
import type { Device, Site, System } from "../models/site";
import { MINUTE } from "../time-units";
import { highestSeverity } from "./alerts";
import { type PlannedDevice, plannedDevices, type SitePlan, type SystemPlan } from "./sites";

/** The state of a site at one time. */
export interface SiteState {
  now: number;
  alerts: Alert[];
  /** Percent by system id. */
  stateOfCharge: Map<string, number>;
}

export function siteView(site: SitePlan): Site {
  return siteWith(site, systemView);
}

export function siteDetailsView(site: SitePlan, state: SiteState): Site {
  return siteWith(site, (system) => ({
    ...systemView(system),
    devices: plannedDevices(system).map((device) => deviceView(system, device, state)),
  }));
}

function siteWith(
  { siteId, siteName, timezone, siteAddress, systems }: SitePlan,
  view: (system: SystemPlan) => System,
): Site {
  return { siteId, siteName, timezone, siteAddress, systems: systems.map(view) };
}

/** Capacities in W and Wh. */
function systemView(system: SystemPlan): System {
  const { systemId, generation, inverterType, solarPeak, battery } = system;
  return {
    systemId,
    systemGeneration: generation,
    capabilities: {
      // Always null for PC1: it has no solar inverter of its own (service interface 2.3).
      solar: { inverterType, inverterCapacityPower: generation === "PC1" ? null : solarPeak },
      storage: battery
        ? {
            capacityEnergy: battery.totalEnergy,
            maxChargePower: battery.maxPower,
            maxDischargePower: battery.maxPower,
          }
        : null,
    },
  };
}

function deviceView(system: SystemPlan, { deviceId, deviceClass }: PlannedDevice, state: SiteState): Device {
  return {
    deviceId,
    deviceClass,
    lastHeardAt: new Date(Math.floor(state.now / MINUTE) * MINUTE).toISOString(),
    highestAlertSeverity: highestSeverity(state.alerts, deviceId),
    ...extraState(system, deviceClass, state),
  };
}

function extraState(system: SystemPlan, deviceClass: string, state: SiteState) {
  // These classes have only the common state (service interface 2.4).
  if (deviceClass === "PVLINK" || deviceClass === "METER") return {};
  const isPc1 = system.generation === "PC1";
  return {
    deviceState: isPc1 ? null : "OPERATIONAL",
    enabledState: isPc1 ? null : "ENABLED",
    ...(deviceClass === "BATTERY" && {
      stateOfCharge: state.stateOfCharge.get(system.systemId),
      stateOfHealth: 98,
      moduleCount: system.battery?.moduleCount,
    }),
  };
}
