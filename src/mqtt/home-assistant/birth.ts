// Home Assistant's birth and last will messages: it publishes `online` when it starts.
import type { FlowMessage } from "../../messages/reader";

/** The status that Home Assistant publishes, `online` or `offline`; undefined for other messages. */
export function homeAssistantStatus(
  { topic, payload, energy }: FlowMessage,
  discoveryPrefix: string,
): string | undefined {
  if (topic !== `${discoveryPrefix}/status` || energy !== undefined) return undefined;
  return Buffer.isBuffer(payload) || typeof payload === "string" ? String(payload) : undefined;
}
