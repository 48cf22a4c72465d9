// Generates a node's editor properties from the table of settings: default value, label and validator.
import { isInUse, settingFault } from "../../../../src/settings/reading";
import type { Setting, Settings } from "../../../../src/settings/kinds";
import { EMBEDDED_REFERENCE, referenceName } from "../../../../src/settings/rules";
import { faultText } from "../texts";
import { currentValue } from "../dialog/fields";

/** Validators that only the editor can run, by property. They run after the table's own check. */
type Checks = Record<string, EditorValidator>;

/** Everything that is stored in the flow file. */
export function properties(settings: Settings, checks: Checks = {}): Record<string, EditorProperty> {
  const stored = Object.entries(settings).filter(([, setting]) => !credentialType(setting));
  return Object.fromEntries(
    stored.map(([key, setting]) => [key, { ...typeOf(setting), ...checked(settings, key, checks[key]) }]),
  );
}

export function credentials(settings: Settings): Record<string, EditorCredential> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, setting]) => {
      const type = credentialType(setting);
      return type ? [[key, { type, ...checked(settings, key) }]] : [];
    }),
  );
}

function credentialType(setting: Setting): EditorCredential["type"] | undefined {
  return setting.kind === "text" ? setting.credential : undefined;
}

function typeOf(setting: Setting): EditorProperty {
  if (setting.kind === "node") {
    const { type, required = true } = setting;
    return required ? { value: "", type } : { value: "", type, required };
  }
  return { value: setting.default };
}

function checked(
  settings: Settings,
  key: string,
  check?: EditorValidator,
): Pick<EditorProperty, "label" | "validate"> {
  const setting = settings[key];
  if (setting?.label === undefined) return {};
  const label = RED._(`@energy-sites/node-red/${setting.label}`);
  return { label, validate: validator(settings, setting, check) };
}

function validator(settings: Settings, setting: Setting, check?: EditorValidator): EditorValidator {
  return function (stored, options) {
    const others = (key: string): unknown => currentValue(this, key);
    if (!isInUse(settings, setting, others) || hasReference(setting, stored)) return true;
    const fault = settingFault(setting, stored, others);
    if (fault) return faultText(fault);
    return check ? check.call(this, stored, options) : true;
  };
}

/** The value of an environment variable is known only to the runtime. */
function hasReference(setting: Setting, stored: unknown): boolean {
  if (setting.kind === "text" && !setting.variables) return false;
  const isEmbedded = typeof stored === "string" && stored.search(EMBEDDED_REFERENCE) !== -1;
  return isEmbedded || referenceName(stored) !== undefined;
}
