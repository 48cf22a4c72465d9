// Tells whether messages ask a node for the same, by everything that the node reads from them.
import type { NodeAPI, NodeMessage } from "node-red";
import type { SiteSettings, SystemSettings } from "../series/address";

/** Equal for messages that ask for the same site; undefined if that cannot be told. */
export function sameSite(RED: NodeAPI, settings: SiteSettings, message: NodeMessage): string | undefined {
  return keyOf(() => [idPart(RED, "siteId", settings.siteId, settings.siteIdType, message)]);
}

/** Equal for messages that ask for the same systems and times; undefined if that cannot be told. */
export function sameSeries(RED: NodeAPI, settings: SystemSettings, message: NodeMessage): string | undefined {
  return keyOf(() => [
    idPart(RED, "siteId", settings.siteId, settings.siteIdType, message),
    idPart(RED, "systemId", settings.systemId, settings.systemIdType, message),
    plain(message["startTime"]),
    plain(message["endTime"]),
  ]);
}

/** As `sameSeries`, for a poll: without a store, each message asks for records of its own. */
export function samePoll(
  RED: NodeAPI,
  settings: SystemSettings & { readonly store: string },
  message: NodeMessage,
): string | undefined {
  const isStored = settings.store !== "none" && settings.store !== "message";
  return isStored ? sameSeries(RED, settings, message) : undefined;
}

function keyOf(parts: () => unknown[]): string | undefined {
  try {
    return JSON.stringify(parts());
  } catch {
    // What cannot be compared is served, or fails, in a run of its own.
    return undefined;
  }
}

/** What a typed input reads from the message. Context and environment are the same for all messages. */
function idPart(
  RED: NodeAPI,
  name: "siteId" | "systemId",
  text: string,
  type: SiteSettings["siteIdType"],
  message: NodeMessage,
): unknown {
  switch (type) {
    case "str":
      return text === "" ? plain(message[name]) : "";
    case "msg":
      return plain(RED.util.getMessageProperty(message, text));
    case "flow":
    case "global":
      // A path such as units[msg.topic] depends on the message.
      if (text.includes("msg")) throw new Unpredictable();
      return "";
    case "env":
      return "";
    default:
      throw new Unpredictable();
  }
}

/** The value depends on more than can be compared here. */
class Unpredictable extends Error {}

/** With its type, because JSON has the same form for values that differ, such as null and undefined. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return ["date", value.toISOString()];
  const isPlain = value === undefined || typeof value === "string" || typeof value === "boolean";
  if (!isPlain) throw new Unpredictable();
  return [typeof value, value];
}
