// The errors that the package throws: small classes, each with a code that flows can test and a text from the catalogue.
import { ERROR_TEXTS } from "./error-texts";
import { defined, mapValues } from "./objects";

/** What flows test in `msg.energy.error.code`. */
export type ErrorCode =
  | "ENERGY_CONFIG"
  | "ENERGY_AUTH"
  | "ENERGY_INPUT"
  | "ENERGY_SYSTEM_REQUIRED"
  | "ENERGY_RANGE"
  | "ENERGY_HTTP"
  | "ENERGY_RATE_LIMIT"
  | "ENERGY_TIMEOUT"
  | "ENERGY_NETWORK"
  | "ENERGY_RESPONSE"
  | "ENERGY_STORE"
  | "ENERGY_INTERNAL";

/** ISO 8601 times in UTC. */
export interface TimeRange {
  startTime: string;
  endTime: string;
}

/** What a history run has not sent. */
export interface HistoryRemaining extends TimeRange {
  /** Which series, where a run reads several. */
  siteId?: string;
  systemId?: string | undefined;
  /** The parts of the range that are left, if there are several. */
  windows?: TimeRange[];
}

/** What `msg.energy.error` holds besides the code. Never contains a secret. */
export interface ErrorDetails {
  /** HTTP status of the service's response. */
  statusCode?: number;
  /** Seconds until the service accepts requests again. */
  retryAfter?: number;
  /** The systems to choose from. */
  systemIds?: string[];
  /** The service's own message, shortened and without secrets. */
  serviceText?: string;
  /** The part of a history range that has not been sent: pass it as `msg.payload` to continue. */
  remaining?: HistoryRemaining | undefined;
}

/** Of a response with an error status. */
export type StatusDetails = ErrorDetails & { statusCode: number };

export type ErrorKey = keyof typeof ERROR_TEXTS;

/** The names of the placeholders in a text. */
type Placeholders<Text extends string> = Text extends `${string}__${infer Name}__${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/**
 * `label` is the catalogue key of a field's label, such as `account:label.maxAge`; `count` is a number that is shown with its digits
 * grouped.
 */
export type TextValue = string | number | ErrorText | { label: string } | { count: number };

/** A key of the catalogue with a value for each placeholder in its text, or a text that has them. */
export type TextArguments =
  | [text: ErrorText]
  | {
      [Key in ErrorKey]: Placeholders<(typeof ERROR_TEXTS)[Key]> extends never
        ? [key: Key]
        : [key: Key, values: Readonly<Record<Placeholders<(typeof ERROR_TEXTS)[Key]>, TextValue>>];
    }[ErrorKey];

/** A text before it is translated. */
export interface ErrorText {
  readonly key: ErrorKey;
  readonly values: Readonly<Record<string, TextValue>>;
}

export function errorText(...[text, values]: TextArguments): ErrorText {
  return typeof text === "string" ? { key: text, values: values ?? {} } : text;
}

/** The texts and labels of one language. */
export interface Catalogue {
  text(key: ErrorKey, values: Readonly<Record<string, string | number>>): string;
  label(name: string): string;
  count(value: number): string;
}

/** For code that uses the client without Node-RED: a label is the name of the setting. */
const ENGLISH: Catalogue = {
  text: (key, values) =>
    ERROR_TEXTS[key].replaceAll(/__(\w+?)__/g, (_placeholder, name: string) => String(values[name])),
  label: (name) => name.replace(/^.*\./, ""),
  count: (value) => value.toLocaleString("en-US"),
};

/** Translates a text, and any texts among its values. */
export function translate({ key, values }: ErrorText, catalogue: Catalogue): string {
  const translated = mapValues(values, (value) => {
    if (typeof value !== "object") return value;
    if ("count" in value) return catalogue.count(value.count);
    return "label" in value ? catalogue.label(value.label) : translate(value, catalogue);
  });
  return catalogue.text(key, translated);
}

/** Base of all errors of the package. They have no `cause`, so nothing about a request can leak through them. */
export class EnergyError extends Error {
  /** Whether everything that the account requests fails for this reason, as without a token. */
  isOfAccount = false;

  constructor(
    readonly code: ErrorCode,
    readonly text: ErrorText,
    readonly details: ErrorDetails = {},
  ) {
    super(translate(text, ENGLISH));
    this.name = new.target.name;
  }

  /** The same error for a run of which this is left, or nothing that it could name: others may have failed with it, too. */
  withRemaining(remaining: HistoryRemaining | undefined): EnergyError {
    const details = defined({ ...this.details, remaining });
    return Object.create(this, { details: { value: details, enumerable: true } }) as EnergyError;
  }
}

/** The errors of a code that say no more than their text. Marked as pure where it is called, or each dialog would hold all texts. */
const withText = (code: ErrorCode) =>
  class extends EnergyError {
    constructor(...text: TextArguments) {
      super(code, errorText(...text));
    }
  };

/** The errors of a code that know of a response. */
const withDetails = (code: ErrorCode) =>
  class extends EnergyError {
    constructor(text: ErrorText, details?: ErrorDetails) {
      super(code, text, details);
    }
  };

/** A setting of the account or a node is missing or invalid; nothing was sent to the service. */
export class ConfigError extends /* @__PURE__ */ withText("ENERGY_CONFIG") {}

/** A value in a message is missing, has the wrong type or cannot be parsed. */
export class InputError extends /* @__PURE__ */ withText("ENERGY_INPUT") {}

/** A valid time range that cannot be requested: its end is not after its start, or it is too long or in the future. */
export class TimeRangeError extends /* @__PURE__ */ withText("ENERGY_RANGE") {}

/** The whole exchange, body included, took longer than the account's timeout. */
export class TimeoutError extends /* @__PURE__ */ withText("ENERGY_TIMEOUT") {}

/** The service could not be reached, or the connection broke. */
export class NetworkError extends /* @__PURE__ */ withText("ENERGY_NETWORK") {}

/** A node's stored state cannot be read or written. */
export class StoreError extends /* @__PURE__ */ withText("ENERGY_STORE") {}

/** The service responded with an error status. */
export class HttpError extends /* @__PURE__ */ withDetails("ENERGY_HTTP") {}

/** The service is rate limiting requests (429). */
export class RateLimitError extends /* @__PURE__ */ withDetails("ENERGY_RATE_LIMIT") {}

/** The service's response is malformed; the text says where. */
export class ResponseError extends /* @__PURE__ */ withDetails("ENERGY_RESPONSE") {}

/** The service rejected the credentials, or a token. */
export class AuthError extends /* @__PURE__ */ withDetails("ENERGY_AUTH") {}

/** The site has several systems and none was chosen (service interface 4.4 rule 4). */
export class SystemRequiredError extends EnergyError {
  constructor(siteId: string, systemIds: string[], details?: ErrorDetails) {
    const text =
      systemIds.length > 0
        ? errorText("systemRequired", { siteId, systems: systemIds.join(", ") })
        : errorText("systemRequiredUnknown", { siteId });
    super("ENERGY_SYSTEM_REQUIRED", text, { ...details, systemIds });
  }
}

/** The error for an error status. */
export function statusFailure(text: ErrorText, details: StatusDetails): EnergyError {
  return details.statusCode === 429 ? new RateLimitError(text, details) : new HttpError(text, details);
}

/** The service fails for all sites of the account: nothing was sent. */
export class ServiceDownError extends EnergyError {
  /**
   * @param failure the last one: the error has its code and status
   * @param retryIn seconds until the next request may try
   */
  constructor(
    readonly failure: EnergyError,
    readonly retryIn: number,
  ) {
    const { code, details } = failure;
    const text = errorText("serviceDown", { seconds: retryIn, text: failure.text });
    super(code, text, details.statusCode === undefined ? {} : { statusCode: details.statusCode });
  }
}

/** The service failed for all sites of a run, or for all after the first ones. */
export class FleetError extends EnergyError {
  /** Seconds until another run may succeed; 0 = unknown, undefined = the next one need not. */
  readonly retryIn: number | undefined;

  /**
   * @param failure of one of the sites: the error has its code and details
   * @param failed how many of the sites were not read
   * @param mayPass whether it may soon be over
   */
  constructor(failure: EnergyError, failed: number, total: number, mayPass: boolean) {
    const isDown = failure instanceof ServiceDownError;
    const values = { count: { count: failed }, text: (isDown ? failure.failure : failure).text };
    const text =
      failed === total
        ? errorText("allSitesFailed", values)
        : errorText("someSitesFailed", { ...values, total: { count: total } });
    super(failure.code, text, failure.details);
    this.retryIn = isDown ? failure.retryIn : mayPass ? (failure.details.retryAfter ?? 0) : undefined;
  }
}

/** Whether the service shows it to no one with these credentials, or does not have it. */
export function isRefusal(error: unknown): boolean {
  const { statusCode } = error instanceof HttpError && !error.isOfAccount ? error.details : {};
  return statusCode === 403 || statusCode === 404;
}

/** Undefined where the service refuses to answer. */
export function unlessRefused<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    return undefined;
  });
}

/** The work was aborted because its owner was closed. Not a failure, and never reported. */
export class AbortedError extends Error {
  override readonly name = "AbortedError";
  constructor() {
    super("aborted: closed");
  }
}

/** What was thrown, in words. Never throws, whatever it is: flows may throw anything. */
export function reasonOf(thrown: unknown): TextValue {
  try {
    const isObject = (typeof thrown === "object" && thrown !== null) || typeof thrown === "function";
    if (!isObject) return String(thrown);
    const message: unknown = "message" in thrown ? thrown.message : undefined;
    // Not the object itself as text: that may take forever.
    return typeof message === "string" ? message : errorText("noReason");
  } catch {
    return errorText("noReason");
  }
}
