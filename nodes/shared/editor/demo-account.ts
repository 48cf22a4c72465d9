// Where there is no account at all, a node's dialog offers one that needs no credentials.
import { fieldOf, rowOf } from "./dialog/fields";
import { accountIds, addNode } from "./new-nodes";
import { sharedText } from "./texts";

const TYPE = "energy-account";

/** Call this in oneditprepare. */
export function offerDemo(node: EditorNode): void {
  const select = fieldOf(node, "account");
  const link = $("<button>", { type: "button", class: "energy-link" }).text(sharedText("account.useDemo"));
  const line = $("<div>", { class: "energy-demo" }).append(link).appendTo(rowOf(select));
  link.on("click", () => {
    const { id } = addNode({ type: TYPE, service: "demo" });
    $("<option>").val(id).text(sharedText("option.service.demo")).appendTo(select);
    select.val(id).trigger("change");
  });
  const update = (): unknown => line.toggle(accountIds(node.z).length === 0);
  select.on("change", update);
  update();
}
