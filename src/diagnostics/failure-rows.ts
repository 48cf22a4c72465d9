// Failures as rows of a table, newest first.
import type { SeriesAddress } from "../ledger/record-id";
import type { Hash } from "./hash";
import type { FailurePart } from "./parts";
import { ownText, safeText } from "./safe-text";
import { agoText } from "./time-text";

export const FAILURE_HEADER = ["When", "Code", "Site and system", "Text"];

export function failureRows(failures: readonly FailurePart[], now: number, hash: Hash): string[][] {
  return failures
    .toReversed()
    .map(({ at, code, statusCode, text, address, origin = [] }) => [
      agoText(at, now),
      [code, statusCode, ownText(text).key].filter((part) => part !== undefined).join(" "),
      address ? addressText(address, hash) : "",
      [safeText(text, hash), ...origin].join("; "),
    ]);
}

export function addressText({ siteId, systemId }: SeriesAddress, hash: Hash): string {
  return systemId === undefined ? hash(siteId) : `${hash(siteId)} / ${hash(systemId)}`;
}
