// Builds sites as the service returns them: in the list with capabilities, in the details with devices as well.
import type { Alert } from "../models/alert";
import type { Device, Site, System } from "../models/site";
import { minuteOf } from "./alerts";
import { devicesOf, type SitePlan, type SystemPlan } from "./sites";

/** What changes in the details of a system. */
interface SystemState {
  now: number;
  /** The open ones of its site. */
  alerts: readonly Alert[];
  /** Percent. */
  charge: number;
}

const SEVERITIES = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];

/** @param devices those of a system, for the details of a site */
export function siteView(
  { siteId, siteName, timezone, siteAddress, systems }: SitePlan,
  devices?: (system: SystemPlan) => Device[],
): Site {
  const view = (system: SystemPlan): System => ({
    ...systemView(system),
    ...(devices && { devices: devices(system) }),
  });
  return { siteId, siteName, timezone, siteAddress, systems: systems.map(view) };
}

/** Capacities in W and Wh. */
function systemView({ systemId, generation, inverterType, solarPeak, battery }: SystemPlan): System {
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

/** By how many percent the first of two batteries is above the charge of their system, and the second below. */
const BATTERY_SPREAD = 1.5;

export function deviceViews(system: SystemPlan, { now, alerts, charge }: SystemState): Device[] {
  const isPc1 = system.generation === "PC1";
  const spread = system.devices["BATTERY"] === 2 ? Math.min(BATTERY_SPREAD, charge, 100 - charge) : 0;
  return devicesOf(system).map(({ deviceId, deviceClass }) => {
    const own = alerts.filter((alert) => alert["deviceId"] === deviceId);
    const highest = SEVERITIES.findLast((severity) => own.some((alert) => alert.severity === severity));
    return {
      deviceId,
      deviceClass,
      lastHeardAt: new Date(minuteOf(now)).toISOString(),
      highestAlertSeverity: highest ?? null,
      // Other classes have only the common state (service interface 2.4).
      ...(deviceClass !== "PVLINK" &&
        deviceClass !== "METER" && {
          deviceState: isPc1 ? null : "OPERATIONAL",
          enabledState: isPc1 ? null : "ENABLED",
        }),
      ...(deviceClass === "BATTERY" && {
        stateOfCharge: charge + (deviceId.endsWith("-1") ? spread : -spread),
        stateOfHealth: 98,
        moduleCount: system.battery?.moduleCount,
      }),
    };
  });
}
