// The records of an incoming message, and the site and system that they are from.
import type { NodeMessage } from "node-red";
import { InputError } from "../../src/errors";
import { isServiceObject } from "../../src/models/service-object";
import { ended, type EndedRecord } from "../../src/messages/points";
import type { SeriesAddress } from "../../src/ledger/record-id";

/** Throws InputError where there is none, or one without a time. */
export function recordsOf({ payload, energy }: NodeMessage): EndedRecord[] {
  // A meter without a record yet: rgm read says so with null.
  if (payload === null && isServiceObject(energy) && energy["kind"] === "rgm") return [];
  // A latest value is one number of a record, which stands beside it.
  const isValue =
    isServiceObject(energy) && energy["kind"] === "latest-value" && isServiceObject(energy["record"]);
  if (isValue) return [ended(energy["record"])];
  return Array.isArray(payload) ? payload.map(ended) : [ended(payload)];
}

/** Throws InputError without a site: points of several sites would become one series. */
export function addressOf({ siteId, systemId }: NodeMessage): SeriesAddress {
  if (typeof siteId !== "string" || siteId === "") throw new InputError("messageSite");
  return typeof systemId === "string" && systemId !== "" ? { siteId, systemId } : { siteId };
}
