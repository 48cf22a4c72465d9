// What palette nodes with a site share: pickers for the site, and for a system and a value if they have these fields.
import { accountNode, prepareAccountNode } from "./account-node";
import type { TextTypes } from "./dialog/dialog";
import { preparePickers } from "./pickers/pickers";
import type { ValuePicker } from "./pickers/value-picker";
import { sharedText } from "./texts";

/** As with `paletteNode`, nodes list each member. */
export const siteNode = { ...accountNode, oneditprepare };

/** @param valuePicker for a node with the field `path` */
export function prepareSiteNode(node: EditorNode, valuePicker?: ValuePicker): void {
  prepareAccountNode(node, { ...idTypes(), ...(valuePicker && { path: valuePicker.type }) });
  preparePickers(node, valuePicker);
}

function oneditprepare(this: EditorNode): void {
  prepareSiteNode(this);
}

/** A text in these fields is an id from a list. */
function idTypes(): TextTypes {
  return {
    siteId: { label: sharedText("label.siteId"), icon: "fa fa-map-marker" },
    systemId: { label: sharedText("label.systemId"), icon: "fa fa-cube" },
  };
}
