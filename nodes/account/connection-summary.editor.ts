// Sums up the folded connection settings, such as "30 s · 4 parallel requests · no proxy".
import { settingValue } from "../../src/settings/read";
import { ACCOUNT } from "./settings";
import { ADD_NEW, currentValue, fieldOf } from "../shared/editor/dialog/fields";
import { sharedText } from "../shared/editor/texts";

export function connectionSummary(node: EditorNode): string {
  const number = (key: "timeout" | "concurrency" | "requestsPerMinute"): number =>
    settingValue(ACCOUNT[key], currentValue(node, key));
  const rate = number("requestsPerMinute");
  const tls = chosenNode(node, "tls");
  const parts = [
    `${number("timeout")} ${sharedText("unit.seconds")}`,
    sharedText("account.parallel", { count: number("concurrency") }),
    ...(rate > 0 ? [`${rate} ${sharedText("unit.perMinute")}`] : []),
    ...(tls === "" ? [] : [`TLS: ${tls}`]),
    chosenNode(node, "proxy") || sharedText("account.noProxy"),
  ];
  return parts.join(" · ");
}

/** The name of the selected config node; "" if none is. */
function chosenNode(node: EditorNode, property: string): string {
  const field = fieldOf(node, property);
  return ["", ADD_NEW].includes(String(field.val() ?? "")) ? "" : field.find("option:selected").text();
}
