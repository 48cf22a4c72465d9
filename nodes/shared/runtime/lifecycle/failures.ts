// Ends messages, and reports every failure of a node to catch nodes, with the error code in the message.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { FleetError, ServiceDownError } from "../../../../src/errors";
import { errorMessage, type Failure, failuresOf, publicError } from "../base/errors";
import { addressId } from "../../../../src/series/identity";
import { isObject, setAddress } from "../base/message";
import type { Trigger } from "./queue";

/** Seconds until a run may succeed that ended early because the service failed for all; undefined for any other. */
export function retrySeconds(error: unknown): number | undefined {
  const [ofAll] = failuresOf(error).flatMap(({ error: one }) =>
    one instanceof FleetError || one instanceof ServiceDownError ? one : [],
  );
  return ofAll?.retryIn;
}

export class FailureReport {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #kind: string;
  /** How each site or system has failed since it recovered. */
  readonly #reported = new Map<string, string[]>();

  constructor(RED: NodeAPI, node: Node, kind: string) {
    this.#RED = RED;
    this.#node = node;
    this.#kind = kind;
  }

  /** Does what must not fail: what the action throws is logged. */
  readonly attempt = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      try {
        this.#node.warn(errorMessage(this.#RED, error));
      } catch {
        // The log itself fails.
      }
    }
  };

  /** Reports all failures but the last, and ends the message with the last one. */
  endMessage(error: unknown, { message, original, done }: Trigger): void {
    const failures = failuresOf(error);
    this.#remember(failures);
    for (const failure of failures.slice(0, -1)) this.report(failure, message);
    const last = failures.at(-1) ?? { error };
    const failed = this.#failedMessage(message, last);
    const text = errorMessage(this.#RED, last.error);
    // As a text: of an Error, the debug sidebar shows less. The published types do not allow one.
    if (becomes(original, failed)) (done as (text: unknown) => void)(text);
    // What cannot be changed could not be copied either: the catch node receives the rest of it.
    else this.#node.error(text, failed);
  }

  /** For work without a message: a repeated failure is reported once, until the node recovers. */
  withoutMessage(error: unknown): void {
    for (const failure of this.#remember(failuresOf(error))) this.report(failure, {});
  }

  /** One that cannot be reported must not hide the others. */
  report(failure: Failure, message: NodeMessage): void {
    this.attempt(() =>
      this.#node.error(errorMessage(this.#RED, failure.error), this.#failedMessage(message, failure)),
    );
  }

  recovered(): void {
    this.#reported.clear();
  }

  /** The message for the catch node: that of the trigger with the address that failed and the error code. */
  #failedMessage(message: NodeMessage, { error, address }: Failure): NodeMessage {
    const copy: NodeMessage = { ...message };
    // Node-RED calls `hasOwnProperty` of an earlier error.
    if (isObject(copy["error"]) && !isPlain(copy["error"])) copy["error"] = undefined;
    if (address) setAddress(copy, address);
    const { code, details } = publicError(error);
    copy["energy"] = { kind: this.#kind, error: { code, ...details } };
    return copy;
  }

  /** Returns those that are news: their site or system has not failed like that since it recovered. */
  #remember(failures: readonly Failure[]): Failure[] {
    const before = (failure: Failure): string[] => this.#reported.get(placeOf(failure)) ?? [];
    const news = failures.filter((failure) => !before(failure).includes(failureSignature(failure.error)));
    const failing = new Set(failures.map(placeOf));
    // A failure of the whole service says nothing about the sites that failed before.
    if (!failing.has(WHOLE_RUN))
      for (const place of this.#reported.keys()) if (!failing.has(place)) this.#reported.delete(place);
    for (const failure of news)
      this.#reported.set(placeOf(failure), [...before(failure), failureSignature(failure.error)]);
    return news;
  }
}

/** No site has this id. */
const WHOLE_RUN = "";

function placeOf({ address }: Failure): string {
  return address ? addressId(address) : WHOLE_RUN;
}

/** Identifies repeated failures. All 5xx responses count as one: a service that is down reports it in many ways. */
function failureSignature(error: unknown): string {
  const { code, details } = publicError(error);
  const { statusCode = 0 } = details;
  return `${code} ${statusCode < 500 ? statusCode : "5xx"}`;
}

/** Whether an object has what every object has. */
function isPlain(value: object): boolean {
  return "hasOwnProperty" in value && !Object.keys(value).some((name) => name in Object.prototype);
}

/**
 * Completes a message. Faulty properties are taken from it first, because complete nodes receive a copy.
 * @param energy replaces its `msg.energy`
 */
export function complete({ message, original, done }: Trigger, energy?: object): void {
  for (const name of Object.keys(original)) if (!(name in message)) Reflect.deleteProperty(original, name);
  if (energy) Reflect.set(original, "energy", energy);
  done();
}

/** Gives an object the properties of another one. False if that is not possible. */
function becomes(target: object, source: object): boolean {
  try {
    if (!Reflect.ownKeys(target).every((key) => Reflect.deleteProperty(target, key))) return false;
    Object.assign(Object.setPrototypeOf(target, Object.prototype) as object, source);
    return true;
  } catch {
    return false;
  }
}
