// Tells people, in the log and the status, what the polling engine has given up or cannot read.
import { EnergyError, errorText, ResponseError } from "../../../../src/errors";
import { type SeriesAddress, seriesId } from "../../../../src/ledger/record-id";
import type { TimeWindow } from "../../../../src/ledger/window";
import type { UnreadableItem } from "../../../../src/models/unreadable-item";
import type { PollNotice } from "../../../../src/polling/ports";
import type { Reported } from "../../../../src/polling/reported";
import type { Notice } from "../lifecycle";
import type { Run } from "../service-node";
import { type StatusText, timeSpan } from "../status";

/** The most unreadable sites and systems of one response that are reported. */
const MAX_NOTICES = 5;

export function pollNotice(notice: PollNotice, address: SeriesAddress): Notice {
  const { siteId, systemId } = address;
  const series = systemId === undefined ? siteId : `${siteId}/${systemId}`;
  switch (notice.kind) {
    case "given-up": {
      const values = { series, ...isoSpan(notice.window) };
      return { what: { text: errorText("gapGivenUp", values) }, status: spanStatus("gaveUp", notice.window) };
    }
    case "failing": {
      const { code, text, details } = notice.error;
      const values = { ...isoSpan(notice.window), text };
      const error = new EnergyError(code, errorText("windowFails", values), details);
      return { what: { error, address }, status: spanStatus("skipped", notice.window) };
    }
    default:
      return unreadableNotice(notice.error, address);
  }
}

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
    status: { key: "unreadable", fill: "yellow", shape: "ring" },
  };
}

function spanStatus(key: "gaveUp" | "skipped", window: TimeWindow): StatusText {
  return { key, values: { span: timeSpan(window) }, fill: "yellow", shape: "ring" };
}

function isoSpan({ start, end }: TimeWindow): { from: string; to: string } {
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() };
}
