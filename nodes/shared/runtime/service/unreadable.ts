// Reports what cannot be read of a response, each item once, and what lasts for several runs.
import { type ErrorText, ResponseError } from "../../../../src/errors";
import { addressId, type SeriesAddress } from "../../../../src/series/identity";
import type { UnreadableItem } from "../../../../src/models/responses";
import type { Reported } from "../../../../src/bounded-map";
import type { Input, Notice } from "../lifecycle/lifecycle";
import { warningStatus } from "../base/status";

/** The most unreadable sites and systems of one response that are reported. */
const MAX_NOTICES = 5;

/** Tells once of each record of a series that cannot be read, or of each site and system without a valid id. */
export function reportUnreadable(
  run: Pick<Input, "notify">,
  reported: Reported,
  unreadable: readonly UnreadableItem[],
  address?: SeriesAddress,
): void {
  const series = address ? `${addressId(address)} ` : "";
  const unknown = unreadable.filter(({ id }) => reported.isNew(series + id));
  for (const { fault } of address ? unknown : unknown.slice(0, MAX_NOTICES))
    run.notify({
      what: { error: new ResponseError(fault), ...(address && { address }) },
      status: warningStatus("unreadable"),
    });
}

/** A list is empty. @param reason undefined if the account has sites, but none of them is to be read */
export function noSitesNotice(reason: ErrorText | undefined): Notice {
  return { status: warningStatus("noSites"), ...(reason && { what: { text: reason } }) };
}

/** Tells how things stand while they stand so: a message each time, a schedule once. */
export class StandingNotice {
  #wasTold = false;

  check(run: Pick<Input, "notify" | "isByMessage">, isSo: boolean, { status, what }: Notice): void {
    const isKnown = this.#wasTold && !run.isByMessage;
    this.#wasTold = isSo;
    if (isSo) run.notify({ status, ...(what && !isKnown && { what }) });
  }
}
