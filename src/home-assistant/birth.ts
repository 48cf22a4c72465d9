// Home Assistant's birth and last will message: it says `online` when it starts.
import type { FlowMessage } from "../messages/reader";

/** `online` or `offline` as Home Assistant says of itself; undefined for other messages. */
export function homeAssistantStatus(
  { topic, payload, energy }: FlowMessage,
  discoveryPrefix: string,
): string | undefined {
  if (topic !== `${discoveryPrefix}/status` || energy !== undefined) return undefined;
  return Buffer.isBuffer(payload) || typeof payload === "string" ? String(payload) : undefined;
}
