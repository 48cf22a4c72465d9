// The open alerts of a device in Home Assistant: which are open after a message, the most severe one, and their texts.
import { isDeepStrictEqual } from "node:util";
import type { AlertNews, MessageAlert } from "../../messages/fact-reader";
import type { SeverityClass } from "../../models/alert";
import { firstText } from "../../models/service-object";
import { cut } from "./discovery-message";

/** Plain data, stored as JSON. */
export interface OpenAlert {
  readonly alertKey: string;
  readonly severity: SeverityClass;
  readonly title?: string;
}

/** Most severe first. */
export const SEVERITIES: readonly SeverityClass[] = ["HIGH", "MEDIUM", "LOW", "OTHER"];

/** The fields of an alert that may say in words what it is about. */
const TITLE_FIELDS = ["title", "name", "message", "description", "text", "summary", "reason", "type", "code"];

export function titleOf({ alert }: MessageAlert): string | undefined {
  const title = firstText(alert, TITLE_FIELDS);
  return title === undefined ? undefined : cut(title);
}

/** The open alerts after a change, or those of a list. Returns `known` if they are the same. */
export function openAfter(known: readonly OpenAlert[], news: AlertNews): readonly OpenAlert[] {
  const open = news.change === undefined ? listed(news.open) : changed(known, news);
  return isDeepStrictEqual(known, open) ? known : open;
}

export function highestSeverity(open: readonly OpenAlert[]): SeverityClass | undefined {
  return SEVERITIES.find((severity) => open.some((alert) => alert.severity === severity));
}

function listed(alerts: readonly MessageAlert[]): OpenAlert[] {
  return [...new Map(alerts.map((alert) => [alert.alertKey, openAlert(alert)])).values()];
}

function changed(
  known: readonly OpenAlert[],
  { change, alert }: Extract<AlertNews, { change: string }>,
): OpenAlert[] {
  const open = new Map(known.map((one) => [one.alertKey, one]));
  if (change === "cleared") open.delete(alert.alertKey);
  else open.set(alert.alertKey, openAlert(alert));
  return [...open.values()];
}

function openAlert(alert: MessageAlert): OpenAlert {
  const title = titleOf(alert);
  return {
    alertKey: alert.alertKey,
    severity: alert.severity,
    ...(title === undefined ? {} : { title }),
  };
}
