// The rule for an MQTT topic prefix: one level or several, that messages can be published below.
import type { TextValue } from "../errors";
import type { Fault } from "./setting";

export function topicPrefixFault(text: string, label: TextValue): Fault | undefined {
  const isTopic = !text.startsWith("$") && text.split("/").every((level) => /^[^+#\p{C}]+$/u.test(level));
  return isTopic ? undefined : ["topicPrefixInvalid", { label }];
}
