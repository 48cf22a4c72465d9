// The alerts of the demo sites, raised and cleared over time in the same way in every run.
import { type Alert, isOver } from "../models/alert";
import { HOUR, MINUTE } from "../time-units";
import { noise } from "./conditions";
import { devicesOf, type SitePlan, type SystemPlan } from "./sites";

/**
 * A title, its severity, how often in hours it is raised, for how many at most, and the class of device concerned; none = the whole
 * system, or a site without systems.
 */
type AlertKind = readonly [
  title: string,
  severity: string,
  everyHours: number,
  lastsHours: number,
  deviceClass?: string,
];

const SYSTEM_ALERTS: readonly AlertKind[] = [
  ["Battery is warm", "LOW", 5, 2, "BATTERY"],
  ["Connection is slow", "LOW", 7, 3, "GATEWAY"],
  ["Grid voltage is high", "MEDIUM", 9, 4],
  ["Solar input is low", "MEDIUM", 11, 5, "PVLINK"],
  ["Inverter runs at reduced power", "HIGH", 13, 3, "INVERTER"],
  // Not one of the known severities, because the service may add more (service interface 4.6).
  ["Inverter has stopped", "CRITICAL", 29, 4, "INVERTER"],
];
const EMPTY_SITE_ALERTS: readonly AlertKind[] = [["Site has no system yet", "LOW", 12, 8]];

/** How long an alert that is over is still listed, with its closing time. */
const LISTED_AFTER_END = 15 * MINUTE;

/** The alerts that the service lists for a site, oldest first: the open ones, and those that ended recently. */
export function listedAlerts({ siteId, systems }: SitePlan, now: number): Alert[] {
  const [owners, kinds] = systems.length === 0 ? [[undefined], EMPTY_SITE_ALERTS] : [systems, SYSTEM_ALERTS];
  return owners
    .flatMap((system) => kinds.map((kind, index) => alertNow(siteId, system, kind, index, now)))
    .filter((alert) => alert !== undefined)
    .toSorted((left, right) => left.raisedAt.localeCompare(right.raisedAt));
}

export function openAlerts(site: SitePlan, now: number): Alert[] {
  return listedAlerts(site, now).filter((alert) => !isOver(alert, now));
}

/** Undefined if the alert is not listed at this time, or the system has no such device. */
function alertNow(
  siteId: string,
  system: SystemPlan | undefined,
  [title, severity, everyHours, lastsHours, deviceClass]: AlertKind,
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
