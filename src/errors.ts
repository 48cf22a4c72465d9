// The errors that the package throws: a small class each, with the code that flows can test.

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
  | "ENERGY_RESPONSE";

/** What a flow can read beside code and message, in `msg.energy.error`. Never holds a secret. */
export interface ErrorDetails {
  /** HTTP status of the service's answer. */
  statusCode?: number;
  /** Seconds until the service may be asked again. */
  retryAfter?: number;
  /** The systems to choose from. */
  systemIds?: string[];
  /** What the service itself said, cut and freed of secrets. */
  serviceText?: string;
  /** The part of a range of history that was not sent yet: ask for it with this as `msg.payload`. */
  remaining?: { startTime: string; endTime: string };
}

/** Base of all errors of the package. They are made new: no `cause`, so nothing of a request can leak through them. */
export class EnergyError extends Error {
  override readonly name: string = "EnergyError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
  }

  /** What catch nodes tell: the text alone, without the name of a class. */
  override toString(): string {
    return this.message;
  }
}

/** The account or a node is not set up: nothing was sent to the service. */
export class ConfigError extends EnergyError {
  override readonly name = "ConfigError";
  constructor(message: string) {
    super("ENERGY_CONFIG", message);
  }
}

/** The service refused the credentials, or a token that it had just issued. */
export class AuthError extends EnergyError {
  override readonly name = "AuthError";
  constructor(message: string, details?: ErrorDetails) {
    super("ENERGY_AUTH", message, details);
  }
}

/** A value of a message or a property is missing, of the wrong type or cannot be read. */
export class InputError extends EnergyError {
  override readonly name = "InputError";
  constructor(message: string) {
    super("ENERGY_INPUT", message);
  }
}

/** The site has several systems and none was chosen (service interface 4.4 rule 4). */
export class SystemRequiredError extends EnergyError {
  override readonly name = "SystemRequiredError";
  constructor(siteId: string, systemIds: string[], details?: ErrorDetails) {
    const choice = systemIds.length > 0 ? `Choose a system: ${systemIds.join(", ")}` : "Choose a system";
    super("ENERGY_SYSTEM_REQUIRED", `Site ${siteId} has several systems. ${choice}`, {
      ...details,
      systemIds,
    });
  }
}

/** Times that can be read but not be asked for: end not after start, too long, in the future. */
export class TimeRangeError extends EnergyError {
  override readonly name = "TimeRangeError";
  constructor(message: string) {
    super("ENERGY_RANGE", message);
  }
}

/** The service answered with a status that is no success. */
export class HttpError extends EnergyError {
  override readonly name = "HttpError";
  constructor(message: string, details: ErrorDetails & { statusCode: number }) {
    super("ENERGY_HTTP", message, details);
  }
}

/** The service asked to be left alone for a while (429). */
export class RateLimitError extends EnergyError {
  override readonly name = "RateLimitError";
  constructor(message: string, details: ErrorDetails) {
    super("ENERGY_RATE_LIMIT", message, details);
  }
}

/** The whole exchange, body included, took longer than the account's timeout. */
export class TimeoutError extends EnergyError {
  override readonly name = "TimeoutError";
  constructor(message: string) {
    super("ENERGY_TIMEOUT", message);
  }
}

/** The service could not be reached, or the connection broke. */
export class NetworkError extends EnergyError {
  override readonly name = "NetworkError";
  constructor(message: string) {
    super("ENERGY_NETWORK", message);
  }
}

/** The service answered something that cannot be read; the text says where. */
export class ResponseError extends EnergyError {
  override readonly name = "ResponseError";
  constructor(message: string, details?: ErrorDetails) {
    super("ENERGY_RESPONSE", message, details);
  }
}

/** The work was given up because its owner was closed. It is no failure and is never reported. */
export class AbortedError extends Error {
  override readonly name = "AbortedError";
  constructor() {
    super("given up: closed");
  }
}
