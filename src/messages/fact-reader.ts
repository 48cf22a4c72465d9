// Reads incoming messages from alerts and site info.
import type { AlertChangeKind } from "../alerts/alert-changes";
import { InputError } from "../errors";
import { type Alert, alertNameOf, type SeverityClass, severityOf } from "../models/alert";
import { isServiceObject } from "../models/service-object";
import { type Site, siteIdOf } from "../models/site";
import { isId } from "../settings/rules";
import type { FlowMessage } from "./reader";

export const ALERT_CHANGES: readonly AlertChangeKind[] = ["raised", "changed", "cleared"];

/** An alert of a message. The flow may have changed its fields, but not its key. */
export interface MessageAlert {
  alertKey: string;
  severity: SeverityClass;
  alert: Alert;
}

/** What a message from alerts says. Without a site, it is about the whole account. */
export type AlertNews = { siteId: string | undefined } & (
  { change: AlertChangeKind; alert: MessageAlert } | { change: undefined; open: MessageAlert[] }
);

/** Undefined for messages from elsewhere. Throws InputError for a site id that is not valid. */
export function alertNewsOf({ payload, energy, siteId }: FlowMessage): AlertNews | undefined {
  if (!isServiceObject(energy) || energy["kind"] !== "alerts") return undefined;
  if (siteId !== undefined && !isId(siteId)) throw new InputError("messageSite");
  const change = ALERT_CHANGES.find((known) => known === energy["change"]);
  if (change) return { siteId, change, alert: readAlert(payload, energy) };
  const infos = energy["alerts"];
  if (!Array.isArray(payload) || !Array.isArray(infos)) return undefined;
  const open = payload.flatMap((alert: unknown, index) => {
    const info: unknown = infos[index];
    // An alert that is over may still be listed.
    return isServiceObject(info) && info["isOpen"] === false ? [] : [readAlert(alert, info)];
  });
  return { siteId, change: undefined, open };
}

/** The site of an alert within a list of the account, if it names one. */
export function siteOfAlert({ alert }: MessageAlert): string | undefined {
  const { siteId } = alert;
  return isId(siteId) ? siteId : undefined;
}

/** The details of a site in a message from site info; undefined for other messages. */
export function siteDetailsOf({ payload, energy }: FlowMessage): Site | undefined {
  if (!isServiceObject(energy) || energy["kind"] !== "site-info" || !isServiceObject(payload))
    return undefined;
  const site = payload as Site;
  return isId(siteIdOf(site)) ? site : undefined;
}

function readAlert(payload: unknown, info: unknown): MessageAlert {
  const alert: Alert = isServiceObject(payload) ? payload : {};
  const { alertKey, severity } = isServiceObject(info) ? info : {};
  return {
    alertKey: typeof alertKey === "string" ? alertKey : alertNameOf(alert),
    severity: typeof severity === "string" ? severityOf({ severity }) : severityOf(alert),
    alert,
  };
}
