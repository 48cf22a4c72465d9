// The rule for an MQTT topic prefix: one or more levels that can be published to.
import type { TextValue } from "../errors";
import type { Fault } from "./setting";

export function topicPrefixFault(text: string, label: TextValue): Fault | undefined {
  const isTopic = !text.startsWith("$") && text.split("/").every((level) => /^[^+#\p{C}]+$/u.test(level));
  return isTopic ? undefined : ["topicPrefixInvalid", { label }];
}
