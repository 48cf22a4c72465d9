// The alerts of the demo sites, raised and cleared over time in the same way in every run.
import { type Alert, isOver } from "../models/alert";
import { HOUR, MINUTE } from "../time-units";
import { noise } from "./conditions";
import { devicesOf, type SitePlan, type SystemPlan } from "./sites";

interface AlertKind {
  title: string;
  severity: string;
  /** The class of device concerned; absent = the whole system, or a site without systems. */
  deviceClass?: string;
  /** Raised once in `everyHours`, for at most `lastsHours`. */
  everyHours: number;
  lastsHours: number;
}

const SYSTEM_ALERTS: readonly AlertKind[] = [
  { title: "Battery is warm", severity: "LOW", deviceClass: "BATTERY", everyHours: 5, lastsHours: 2 },
  { title: "Connection is slow", severity: "LOW", deviceClass: "GATEWAY", everyHours: 7, lastsHours: 3 },
  { title: "Grid voltage is high", severity: "MEDIUM", everyHours: 9, lastsHours: 4 },
  { title: "Solar input is low", severity: "MEDIUM", deviceClass: "PVLINK", everyHours: 11, lastsHours: 5 },
  {
    title: "Inverter runs at reduced power",
    severity: "HIGH",
    deviceClass: "INVERTER",
    everyHours: 13,
    lastsHours: 3,
  },
  // Not one of the known severities, because the service may add more (service interface 4.6).
  {
    title: "Inverter has stopped",
    severity: "CRITICAL",
    deviceClass: "INVERTER",
    everyHours: 29,
    lastsHours: 4,
  },
];
const EMPTY_SITE_ALERTS: readonly AlertKind[] = [
  { title: "Site has no system yet", severity: "LOW", everyHours: 12, lastsHours: 8 },
];

/** How long an alert that is over is still listed, with its closing time. */
const LISTED_AFTER_END = 15 * MINUTE;

/** The alerts that the service lists for a site, oldest first: the open ones, and those that ended recently. */
export function listedAlerts({ siteId, systems }: SitePlan, now: number): Alert[] {
  const alerts =
    systems.length === 0
      ? EMPTY_SITE_ALERTS.map((kind, index) => alertNow({ siteId }, kind, index, now))
      : systems.flatMap((system) =>
          SYSTEM_ALERTS.map((kind, index) => alertNow({ siteId, system }, kind, index, now)),
        );
  return alerts
    .filter((alert) => alert !== undefined)
    .toSorted((left, right) => left.raisedAt.localeCompare(right.raisedAt));
}

export function openAlerts(site: SitePlan, now: number): Alert[] {
  return listedAlerts(site, now).filter((alert) => !isOver(alert, now));
}

/** Undefined if the alert is not listed at this time, or the system has no such device. */
function alertNow(
  { siteId, system }: { siteId: string; system?: SystemPlan },
  { title, severity, deviceClass, everyHours, lastsHours }: AlertKind,
  index: number,
  now: number,
) {
  const devices = system ? devicesOf(system).filter((device) => device.deviceClass === deviceClass) : [];
  if (deviceClass !== undefined && devices.length === 0) return undefined;
  const name = `${system?.systemId ?? siteId}-${index + 1}`;
  // A hash of the name.
  const seed = Buffer.from(name).reduce((hash, byte) => Math.imul(hash, 31) + byte, 7) | 0;
  const period = everyHours * HOUR;
  const shift = noise(seed, 0) * period;
  const count = Math.floor((now + shift) / period);
  const raised = count * period - shift;
  const lasts = lastsHours * HOUR * (0.4 + 0.6 * noise(seed, count));
  const ended = minuteOf(raised + lasts);
  if (now >= ended + LISTED_AFTER_END) return undefined;
  const deviceId = devices[count % devices.length]?.deviceId;
  return {
    id: `${name}-${count}`,
    severity,
    siteId,
    ...(system && { systemId: system.systemId }),
    ...(deviceId !== undefined && { deviceId }),
    title,
    raisedAt: new Date(minuteOf(raised)).toISOString(),
    closedAt: now >= ended ? new Date(ended).toISOString() : null,
  };
}

/** The start of the minute. Milliseconds since the epoch. */
export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE) * MINUTE;
}
