// Who fed whom: the energy of one interval, attributed from each source to each use.

import type { Energies, Quantity } from "./energies";

/** What to serve first with solar energy. */
export type Priority = "house" | "battery";

/** A balance with every energy known, in Wh. */
export type Balance = Readonly<Record<Quantity, number>>;

/** Whether who fed whom can be told. */
export function isBalance(energies: Energies): energies is Energies & Balance {
  return Object.values(energies).every((energy) => energy !== null);
}

/** Each from a source to a use. */
export const FLOWS = [
  "solarToHome",
  "solarToBattery",
  "solarToGrid",
  "batteryToHome",
  "batteryToGrid",
  "gridToHome",
  "gridToBattery",
  // Phases that are not netted within a record.
  "gridToGrid",
  // Sources that no one used.
  "loss",
  // Uses that no source covers.
  "unexplained",
] as const;
export type Flow = (typeof FLOWS)[number];

/** In Wh, never negative. */
export type Flows = Readonly<Record<Flow, number>>;

/**
 * Export is never grid energy while there is a source of our own, and solar goes first. Sources and `unexplained` together
 * equal uses and `loss`.
 */
export function flowsOf(balance: Balance, priority: Priority): Flows {
  const { solar, imported, exported, charged, discharged, consumed } = balance;
  const solarToGrid = Math.min(solar, exported);
  const batteryToGrid = Math.min(discharged, exported - solarToGrid);
  const batteryToHome = Math.min(discharged - batteryToGrid, consumed);
  const reserved = priority === "battery" ? Math.min(solar - solarToGrid, charged) : 0;
  const solarToHome = Math.min(solar - solarToGrid - reserved, consumed - batteryToHome);
  const solarToBattery = Math.min(solar - solarToGrid - solarToHome, charged);
  const gridToBattery = Math.min(imported, charged - solarToBattery);
  const gridToHome = Math.min(imported - gridToBattery, consumed - batteryToHome - solarToHome);
  const exportLeft = exported - solarToGrid - batteryToGrid;
  const gridToGrid = Math.min(imported - gridToBattery - gridToHome, exportLeft);
  const solarLeft = solar - solarToGrid - solarToHome - solarToBattery;
  const batteryLeft = discharged - batteryToGrid - batteryToHome;
  const gridLeft = imported - gridToBattery - gridToHome - gridToGrid;
  const useLeft = consumed - batteryToHome - solarToHome - gridToHome;
  const chargeLeft = charged - solarToBattery - gridToBattery;
  return {
    solarToHome,
    solarToBattery,
    solarToGrid,
    batteryToHome,
    batteryToGrid,
    gridToHome,
    gridToBattery,
    gridToGrid,
    // Differences of equal numbers may be a tiny bit below zero.
    loss: Math.max(0, solarLeft + batteryLeft + gridLeft),
    unexplained: Math.max(0, useLeft + chargeLeft + exportLeft - gridToGrid),
  };
}
