// The devices of a demo system.
import type { SystemPlan } from "./sites";

export interface PlannedDevice {
  deviceId: string;
  deviceClass: string;
}

export function plannedDevices(system: SystemPlan): PlannedDevice[] {
  const counts = { ...system.devices, ...(system.battery && { BATTERY: system.battery.count }) };
  return Object.entries(counts).flatMap(([deviceClass, count]) =>
    Array.from({ length: count }, (_, index) => ({
      deviceId: `${system.systemId}-${deviceClass.toLowerCase()}-${index + 1}`,
      deviceClass,
    })),
  );
}
