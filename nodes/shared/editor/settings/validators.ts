// Validators that only the editor can run: for the selected account, and for sites and systems as typed inputs.
import { errorText } from "../../../../src/errors";
import { ADD_NEW, currentValue } from "../dialog/fields";
import { faultText, sharedText } from "../texts";

/** An account that is not selected. */
const NONE = ["", ADD_NEW, undefined];

/** The account must exist and be complete: the editor skips its own check if a property has a validator. */
export const account: EditorValidator = (value, _options) => {
  if (NONE.includes(value as string | undefined)) return sharedText("validator.account");
  const found = RED.nodes.node(String(value));
  if (!found) return sharedText("validator.missingAccount");
  return found.valid !== false || sharedText("validator.invalidAccount");
};

/** A site, or `*` for all sites of the account. */
export const anySite: EditorValidator = function (value, options) {
  if (isCarried(this)) return oneSite.call(this, value, options);
  return needsSite(this, value) ? sharedText("validator.scheduledSite") : siteId(this, value, options);
};

export const oneSite: EditorValidator = function (value, options) {
  if (isAll(value, currentValue(this, "siteIdType"))) return sharedText("validator.oneSite");
  return needsSite(this, value) ? sharedText("validator.scheduledOneSite") : siteId(this, value, options);
};

/** A scheduled run has no message to supply the site. */
function needsSite(node: EditorNode, value: unknown): boolean {
  const type = currentValue(node, "siteIdType");
  const isScheduled = Number(currentValue(node, "repeat")) > 0 || currentValue(node, "onDeploy") === true;
  // In range mode, rgm read runs only on messages; its schedule is hidden.
  const runsByItself = isScheduled && currentValue(node, "mode") !== "range";
  return runsByItself && (type === "msg" || (type === "str" && !value));
}

function siteId(node: EditorNode, value: unknown, options?: { label?: string }): true | string {
  return typedId(value, String(currentValue(node, "siteIdType")), options);
}

/** A system, or `*` for all systems of the site. */
export const anySystem: EditorValidator = function (value, options) {
  if (isCarried(this) && isAll(value, currentValue(this, "systemIdType")))
    return sharedText("validator.oneSystem");
  return typedId(value, String(currentValue(this, "systemIdType")), options);
};

export const oneSystem: EditorValidator = function (value, options) {
  const type = currentValue(this, "systemIdType");
  return isAll(value, type) ? sharedText("validator.oneSystem") : anySystem.call(this, value, options);
};

/** Whether a ledger comes with each message: it belongs to one system. */
function isCarried(node: EditorNode): boolean {
  const mode = currentValue(node, "mode");
  return currentValue(node, "store") === "message" && (mode === undefined || mode === "new");
}

function isAll(value: unknown, type: unknown): boolean {
  return value === "*" && type === "str";
}

/** A message or context property, or an expression. */
export const property: EditorValidator = function (value, options) {
  // A flow may lack the property; the node then uses its default.
  return value === undefined || typedId(value, String(currentValue(this, "propertyType")), options);
};

function typedId(value: unknown, type: string, options?: { label?: string }): true | string {
  // If the text is empty, the message supplies the id.
  if (type === "str" || type === "undefined") return true;
  if (!value) return faultText(errorText("settingEmpty", { label: options?.label ?? "" }));
  return RED.utils.validateTypedProperty(value, type, options);
}

/** A property path such as storage.stateOfCharge; empty = the whole record. */
export const path: EditorValidator = (value, options) =>
  !value || RED.utils.validateTypedProperty(value, "msg", options);
