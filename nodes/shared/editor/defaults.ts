// The properties that several nodes share, with their default values.
import { sharedText } from "./texts";
import { account, number } from "./validators";

export const NAME = { name: { value: "" } };

/** Every node that calls the service. */
export const ACCOUNT = {
  account: { value: "", type: "energy-account", label: sharedText("label.account"), validate: account },
};

/** Nodes that can run by themselves; 0 minutes = only on input. */
export function schedule(repeatMinutes: number, onDeploy: boolean): Record<string, EditorProperty> {
  return {
    repeat: { ...numberProperty("repeat", repeatMinutes, { min: 0, max: 10_080 }), absent: 0 },
    onDeploy: { value: onDeploy, absent: false },
  };
}

/** Nodes that address a site; whether `*` may stand for all of them, the validator says. */
export function site(validate: EditorValidator): Record<string, EditorProperty> {
  return {
    siteId: { value: "", label: sharedText("label.siteId"), validate },
    siteIdType: { value: "str" },
  };
}

/** As `site`, for one of its systems. */
export function system(validate: EditorValidator): Record<string, EditorProperty> {
  return {
    systemId: { value: "", label: sharedText("label.systemId"), validate },
    systemIdType: { value: "str" },
  };
}

export const INCLUDE_INVERTER = { includeInverter: { value: false } };

export const MAX_AGE = { maxAge: numberProperty("maxAge", 15, { min: 1, max: 10_080 }) };

/** A poll that keeps its place: of telemetry as of meter records. */
export const RECORD_POLL = {
  startFrom: { value: "now" },
  startHours: numberProperty("startHours", 24, { min: 0, max: 8784 }),
  output: { value: "record" },
  ...MAX_AGE,
  lookBack: numberProperty("lookBack", 0, { min: 0, max: 1440 }),
  fillGaps: { value: true },
  gapHours: numberProperty("gapHours", 72, { min: 1, max: 8784 }),
  store: { value: "file" },
  delivery: { value: "sent" },
  confirmTimeout: numberProperty("confirmTimeout", 60, { min: 1, max: 3600 }),
  maxUnconfirmed: numberProperty("maxUnconfirmed", 100, { min: 1, max: 10_000 }),
};

/** A number whose label stands in the account's catalogue under the property's own name. */
export function numberProperty(
  property: string,
  value: number,
  range: { min: number; max: number },
): EditorProperty {
  return { value, label: sharedText(`label.${property}`), validate: number(range) };
}
