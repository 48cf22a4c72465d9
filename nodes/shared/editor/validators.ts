// Checks of what people write into dialogs. The editor itself accepts a text that is wholly ${NAME} or $(NAME).
import { currentValue } from "./fields";
import { sharedText } from "./texts";

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A number within the range, both ends included. The flow file may hold it as text. */
export function number({ min, max }: { min: number; max: number }): EditorValidator {
  return (value, options) => {
    // A flow of an earlier version may not have the property: the node then takes its default.
    if (value === undefined) return true;
    const isNumber = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
    const isInRange = isNumber && Number(value) >= min && Number(value) <= max;
    return isInRange || sharedText("validator.number", { label: options?.label ?? "", min, max });
  };
}

/** Checks only while the other property has the given value: a hidden field is never in the way. */
export function onlyWhen(
  property: string,
  choice: string | boolean,
  validate: EditorValidator,
): EditorValidator {
  return function (value, options) {
    return currentValue(this, property) === choice ? validate.call(this, value, options) : true;
  };
}

/** What the choice of a config node holds while none is chosen. */
const NONE = ["", "_ADD_", undefined];

/** An account that exists and is complete: with a check of our own, the editor makes none. */
export const account: EditorValidator = (value, _options) => {
  if (NONE.includes(value as string | undefined)) return sharedText("validator.account");
  const found = RED.nodes.node(String(value));
  if (!found) return sharedText("validator.missingAccount");
  return found.valid !== false || sharedText("validator.invalidAccount");
};

/** A site, or `*` for all sites of the account. */
export const anySite: EditorValidator = function (value, options) {
  return needsSite(this, value) ? sharedText("validator.scheduledSite") : siteId(this, value, options);
};

export const oneSite: EditorValidator = function (value, options) {
  if (isAll(value, currentValue(this, "siteIdType"))) return sharedText("validator.oneSite");
  return needsSite(this, value) ? sharedText("validator.scheduledOneSite") : siteId(this, value, options);
};

/** A run without a message cannot take the site from it. */
function needsSite(node: EditorNode, value: unknown): boolean {
  const type = currentValue(node, "siteIdType");
  const isScheduled = Number(currentValue(node, "repeat")) > 0 || currentValue(node, "onDeploy") === true;
  // rgm read takes a range from a message only, whatever its hidden schedule says.
  const runsByItself = isScheduled && currentValue(node, "mode") !== "range";
  return runsByItself && (type === "msg" || (type === "str" && !value));
}

function siteId(node: EditorNode, value: unknown, options?: { label?: string }): true | string {
  return typedId(value, String(currentValue(node, "siteIdType")), options);
}

/** A system, or `*` for all systems of the site. */
export const anySystem: EditorValidator = function (value, options) {
  return typedId(value, String(currentValue(this, "systemIdType")), options);
};

export const oneSystem: EditorValidator = function (value, options) {
  const type = currentValue(this, "systemIdType");
  return isAll(value, type) ? sharedText("validator.oneSystem") : anySystem.call(this, value, options);
};

function isAll(value: unknown, type: unknown): boolean {
  return value === "*" && type === "str";
}

/** A property of the message or of a context, or an expression. */
export const property: EditorValidator = function (value, options) {
  return typedId(value, String(currentValue(this, "propertyType")), options);
};

function typedId(value: unknown, type: string, options?: { label?: string }): true | string {
  // An empty text, or one of an earlier version, is left to the message.
  if (type === "str" || type === "undefined") return true;
  if (!value) return sharedText("validator.empty", { label: options?.label ?? "" });
  return RED.utils.validateTypedProperty(value, type, options);
}

/** A property path such as storage.stateOfCharge; empty = the whole record. */
export const path: EditorValidator = (value, options) =>
  !value || RED.utils.validateTypedProperty(value, "msg", options);

/** Every name must be one that a header can have. */
export const headerName: EditorValidator = (value, _options) =>
  (typeof value === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(value)) || sharedText("validator.headerName");

/** Credentials: a stored secret shows as a placeholder, so only a missing one is empty. */
export const filled: EditorValidator = (value, options) =>
  Boolean(value) || sharedText("validator.empty", { label: options?.label ?? "" });

/** https, or http to this machine: credentials never cross a network in the clear. */
export const baseUrl: EditorValidator = (value, _options) => {
  const text = typeof value === "string" ? value.trim() : "";
  // What stands behind a variable is known only where the flow runs.
  if (/\$\{[^}]+\}/.test(text)) return true;
  if (!URL.canParse(text)) return sharedText("validator.baseUrl");
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash) return sharedText("validator.baseUrlParts");
  const isAllowed = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  return isAllowed || sharedText("validator.baseUrl");
};
