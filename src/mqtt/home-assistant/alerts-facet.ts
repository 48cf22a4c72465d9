// What is known about the alerts of a site, or of the account.
import { isServiceObject } from "../../models/service-object";
import type { Absence } from "./absence";
import { accountId, deviceId } from "./device-id";
import { isAbsenceOrNone, isTextOrNone, isTime } from "./stored-values";
import { type OpenAlert, SEVERITIES } from "./open-alert";

/** Plain data, stored as JSON. */
export interface AlertsFacet {
  readonly kind: "alerts";
  /** Absent: the alerts that name no site. */
  readonly siteId?: string;
  readonly siteName?: string;
  readonly open: readonly OpenAlert[];
  /** When the last message arrived, in milliseconds. */
  readonly asOf: number;
  /** If the latest complete site list did not contain the site, and nothing about its alerts has come since. */
  readonly absence?: Absence;
}

/** No escaped id contains `_al`, so no other message has this id. */
export function alertsId(prefix: string, siteId: string | undefined): string {
  return `${ownerId(prefix, siteId)}_alerts`;
}

/** Whether two versions differ in their time alone. */
export function hasSameAlerts(one: AlertsFacet, other: AlertsFacet): boolean {
  return one.open === other.open && one.siteName === other.siteName && one.absence === other.absence;
}

export function isAlertsFacet(stored: unknown): stored is AlertsFacet {
  if (!isServiceObject(stored) || stored["kind"] !== "alerts") return false;
  const { siteId, siteName, open, asOf, absence } = stored;
  return (
    [siteId, siteName].every(isTextOrNone) &&
    Array.isArray(open) &&
    open.every(isOpenAlert) &&
    isTime(asOf) &&
    isAbsenceOrNone(absence)
  );
}

function isOpenAlert(stored: unknown): stored is OpenAlert {
  if (!isServiceObject(stored)) return false;
  const { alertKey, severity, title } = stored;
  return (
    typeof alertKey === "string" && SEVERITIES.some((known) => known === severity) && isTextOrNone(title)
  );
}

/** The id of the device that the alerts belong to. */
export function ownerId(prefix: string, siteId: string | undefined): string {
  return siteId === undefined ? accountId(prefix) : deviceId(prefix, { siteId });
}
