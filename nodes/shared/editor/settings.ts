// Makes a node's editor properties from its table of settings: default value, label and validator; and validators that only the editor can run.
import {
  isInUse,
  type Properties,
  type Setting,
  settingFault,
  type Settings,
  usedValues,
} from "../../../src/settings/table";
import { ALL, EMBEDDED_REFERENCE, referenceName } from "../../../src/settings/rules";
import { currentValue } from "./dialog/fields";
import { faultText, sharedText } from "./texts";

/** Validators by property. They run after the table's own check. */
type Checks = Record<string, EditorValidator>;

/** Everything that is stored in the flow file. */
export function properties(settings: Settings, ownChecks: Checks = {}): Record<string, EditorProperty> {
  const checks: Checks = {
    siteId: addressPart(settings, "siteId"),
    systemId: addressPart(settings, "systemId"),
    path: (value, options) => !value || RED.utils.validateTypedProperty(value, "msg", options),
    ...ownChecks,
  };
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([, setting]) => !credentialType(setting))
      .map(([key, setting]) => {
        const check = checks[key] ?? (`${key}Type` in settings ? typedInput(key) : undefined);
        return [key, { ...typeOf(setting), ...checked(settings, setting, check) }];
      }),
  );
}

/** Whether a node has a setting, and uses it as the others are set. */
export function isUsed(settings: Settings, key: string, others: Properties): boolean {
  const setting = settings[key];
  return setting !== undefined && isInUse(settings, setting, others);
}

export function credentials(settings: Settings): Record<string, EditorCredential> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, setting]) => {
      const type = credentialType(setting);
      return type ? [[key, { type, ...checked(settings, setting) }]] : [];
    }),
  );
}

function credentialType(setting: Setting): EditorCredential["type"] | undefined {
  return setting.kind === "text" ? setting.credential : undefined;
}

function typeOf(setting: Setting): EditorProperty {
  if (setting.kind !== "node") return { value: setting.default };
  const { type, required = true } = setting;
  return { value: "", type, ...(required ? {} : { required }) };
}

function checked(
  settings: Settings,
  setting: Setting,
  check?: EditorValidator,
): Pick<EditorProperty, "label" | "validate"> {
  if (setting.label === undefined) return {};
  const label = RED._(`@energy-sites/node-red/${setting.label}`);
  // The editor itself checks that a config node exists and is complete.
  if (setting.kind === "node") return { label };
  return {
    label,
    validate(value, options) {
      const others = usedValues(settings, (other) => currentValue(this, other));
      if (!isInUse(settings, setting, others) || hasReference(setting, value)) return true;
      const fault = settingFault(setting, value, others);
      if (fault) return faultText(fault);
      return check ? check.call(this, value, options) : true;
    },
  };
}

/** The value of an environment variable is known only to the runtime. */
function hasReference(setting: Setting, stored: unknown): boolean {
  if (setting.kind === "text" && !setting.variables) return false;
  const isEmbedded = typeof stored === "string" && stored.search(EMBEDDED_REFERENCE) !== -1;
  return isEmbedded || referenceName(stored) !== undefined;
}

/** An id, or `*` for all sites of the account or systems of the site, where the node can read several. */
function addressPart(settings: Settings, property: "siteId" | "systemId"): EditorValidator {
  const isSite = property === "siteId";
  return function (value, options) {
    const current = usedValues(settings, (name) => currentValue(this, name));
    const isText = current(`${property}Type`) === "str";
    // A ledger that comes with each message belongs to one system.
    const isCarried = isUsed(settings, "store", current) && current("store") === "message";
    const isOne = !("systemId" in settings) || isCarried;
    if (isOne && value === ALL && isText)
      return sharedText(isSite ? "validator.oneSite" : "validator.oneSystem");
    // Each site may have several systems: an empty text would fail at those.
    const isOfAll = current("siteId") === ALL && current("siteIdType") === "str";
    if (!isSite && value === "" && isText && isOfAll) return sharedText("validator.allSystems");
    const isScheduled = Number(current("repeat")) > 0 || current("onDeploy") === true;
    // A scheduled run has no message to supply the site.
    const isOfMessage = isText ? !value : current("siteIdType") === "msg";
    if (isSite && isOfMessage && isScheduled && isUsed(settings, "repeat", current))
      return sharedText(isOne ? "validator.scheduledOneSite" : "validator.scheduledSite");
    if (!isText && !value) return faultText("settingEmpty", { label: options?.label ?? "" });
    return typedInput(property).call(this, value, options);
  };
}

/** A plain text, a message or context property, or an expression. Whether it may be empty, its table says. */
function typedInput(property: string): EditorValidator {
  return function (value, options) {
    const type = String(currentValue(this, `${property}Type`));
    const isChecked = Boolean(value) && !["str", "num", "undefined"].includes(type);
    return !isChecked || RED.utils.validateTypedProperty(value, type, options);
  };
}
