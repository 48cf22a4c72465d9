// The demo sites, one of each kind. Their ids never change, because flows and tests use them.
import type { Load } from "./conditions";

export interface BatteryPlan {
  /** Modules per battery. */
  moduleCount: number;
  /** Wh, all batteries together. */
  totalEnergy: number;
  /** W, for both charging and discharging. */
  maxPower: number;
  /** Percent that is never discharged. */
  minimumReserve: number;
  /** W at which it is charged from the grid before dawn, at a night tariff. */
  gridPower?: number;
}

export interface SystemPlan {
  systemId: string;
  generation: "PC1" | "PC2" | "MICRO";
  /** W in full sun. */
  solarPeak: number;
  inverterType: "VENDOR" | "THIRD_PARTY" | "MICROINVERTER";
  load: Load;
  battery?: BatteryPlan;
  /** Number of devices by class. */
  devices: Record<string, number>;
}

export interface SitePlan {
  siteId: string;
  siteName: string;
  timezone: string;
  /** Degrees; north and east positive. */
  latitude: number;
  longitude: number;
  siteAddress: { city: string; country: string };
  systems: SystemPlan[];
}

export const SITES: readonly SitePlan[] = [
  {
    siteId: "demo-house",
    siteName: "Demo house",
    timezone: "Europe/Berlin",
    latitude: 52.52,
    longitude: 13.4,
    siteAddress: { city: "Berlin", country: "DE" },
    systems: [
      {
        systemId: "demo-house-1",
        generation: "PC2",
        solarPeak: 8200,
        inverterType: "VENDOR",
        load: { base: 280, morning: 900, evening: 1700 },
        battery: { moduleCount: 6, totalEnergy: 13500, maxPower: 5000, minimumReserve: 10, gridPower: 1800 },
        // TRANSFER_SWITCH represents device classes that only PC2 has and that a client may not know.
        devices: { GATEWAY: 1, INVERTER: 1, TRANSFER_SWITCH: 1, BATTERY: 1 },
      },
    ],
  },
  {
    siteId: "demo-farm",
    siteName: "Demo farm",
    timezone: "America/Denver",
    latitude: 39.74,
    longitude: -104.99,
    siteAddress: { city: "Denver", country: "US" },
    systems: [
      {
        systemId: "demo-farm-1",
        generation: "PC1",
        solarPeak: 7400,
        inverterType: "VENDOR",
        load: { base: 450, morning: 1300, evening: 2400 },
        battery: { moduleCount: 6, totalEnergy: 18000, maxPower: 6700, minimumReserve: 20 },
        devices: { GATEWAY: 1, INVERTER: 1, PVLINK: 4, METER: 1, BATTERY: 2 },
      },
    ],
  },
  {
    siteId: "demo-cabin",
    siteName: "Demo cabin",
    timezone: "Australia/Lord_Howe",
    latitude: -31.55,
    longitude: 159.08,
    siteAddress: { city: "Lord Howe Island", country: "AU" },
    systems: [
      {
        systemId: "demo-cabin-1",
        generation: "PC1",
        solarPeak: 5000,
        inverterType: "THIRD_PARTY",
        load: { base: 160, morning: 600, evening: 1100 },
        battery: { moduleCount: 3, totalEnergy: 9000, maxPower: 3400, minimumReserve: 30 },
        devices: { GATEWAY: 1, INVERTER: 1, BATTERY: 1 },
      },
    ],
  },
  {
    siteId: "demo-twin",
    siteName: "Demo twin houses",
    timezone: "America/New_York",
    latitude: 40.71,
    longitude: -74.01,
    siteAddress: { city: "New York", country: "US" },
    systems: [
      {
        systemId: "demo-twin-a",
        generation: "PC1",
        inverterType: "VENDOR",
        solarPeak: 6000,
        load: { base: 260, morning: 800, evening: 1500 },
        battery: { moduleCount: 5, totalEnergy: 12000, maxPower: 4500, minimumReserve: 20 },
        devices: { GATEWAY: 1, INVERTER: 1, PVLINK: 3, METER: 1, BATTERY: 1 },
      },
      {
        systemId: "demo-twin-b",
        generation: "PC1",
        inverterType: "VENDOR",
        solarPeak: 4000,
        load: { base: 200, morning: 600, evening: 1200 },
        battery: { moduleCount: 3, totalEnergy: 6000, maxPower: 3400, minimumReserve: 20 },
        devices: { GATEWAY: 1, INVERTER: 1, PVLINK: 2, BATTERY: 1 },
      },
    ],
  },
  {
    siteId: "demo-balcony",
    siteName: "Demo balcony",
    timezone: "Europe/Lisbon",
    latitude: 38.72,
    longitude: -9.14,
    siteAddress: { city: "Lisbon", country: "PT" },
    systems: [
      {
        systemId: "demo-balcony-1",
        generation: "MICRO",
        solarPeak: 800,
        inverterType: "MICROINVERTER",
        load: { base: 110, morning: 350, evening: 700 },
        devices: { GATEWAY: 1, INVERTER: 1 },
      },
    ],
  },
  {
    siteId: "demo-empty",
    siteName: "Demo empty site",
    timezone: "Europe/Paris",
    latitude: 48.86,
    longitude: 2.35,
    siteAddress: { city: "Paris", country: "FR" },
    systems: [],
  },
];

/** Whether the system cannot measure its solar, which is AC-coupled third-party equipment (service interface 1). */
export function hasHiddenSolar(plan: SystemPlan): boolean {
  return plan.generation === "PC1" && plan.inverterType === "THIRD_PARTY";
}

export function devicesOf({ systemId, devices }: SystemPlan): { deviceId: string; deviceClass: string }[] {
  return Object.entries(devices).flatMap(([deviceClass, count]) =>
    Array.from({ length: count }, (_, index) => ({
      deviceId: `${systemId}-${deviceClass.toLowerCase()}-${index + 1}`,
      deviceClass,
    })),
  );
}
