// Reports what cannot be read of a response, each item once.
import { type EnergyError, ResponseError } from "../../../../src/errors";
import { type SeriesAddress, seriesId } from "../../../../src/ledger/record-id";
import type { UnreadableItem } from "../../../../src/models/responses";
import type { Reported } from "../../../../src/bounded-map";
import type { Notice } from "../lifecycle/lifecycle";
import { warningStatus } from "../base/status";
import type { Run } from "./service-node";

/** The most unreadable sites and systems of one response that are reported. */
const MAX_NOTICES = 5;

/** Tells once of each record that cannot be read. */
export function reportUnreadable(
  run: Pick<Run, "notify">,
  reported: Reported,
  unreadable: readonly UnreadableItem[],
  address: SeriesAddress,
): void {
  for (const { fault, id } of unreadable)
    if (reported.isNew(`${seriesId(address, "telemetry")} ${id}`))
      run.notify(unreadableNotice(new ResponseError(fault), address));
}

/** For the client's `onUnreadable`: describes each site and system without a valid id once. */
export function unreadableSites(
  run: Pick<Run, "notify">,
  reported: Reported,
): (items: readonly UnreadableItem[]) => void {
  return (items) => {
    const unknown = items.filter(({ id }) => reported.isNew(id));
    for (const { fault } of unknown.slice(0, MAX_NOTICES))
      run.notify(unreadableNotice(new ResponseError(fault)));
  };
}

/** One item of an answer cannot be read; the others can. */
export function unreadableNotice(error: EnergyError, address?: SeriesAddress): Notice {
  return {
    what: { error, ...(address && { address }) },
    status: warningStatus("unreadable"),
  };
}
