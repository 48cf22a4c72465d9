// Tells people, in the log and the status, what the polling engine has given up or cannot read.
import { EnergyError, errorText } from "../../../../src/errors";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import type { TimeWindow } from "../../../../src/ledger/window";
import type { PollNotice } from "../../../../src/polling/ports";
import type { Notice } from "../lifecycle/lifecycle";
import { unreadableNotice } from "../service/unreadable";
import { type StatusText, timeSpan, warningStatus } from "../base/status";

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

function spanStatus(key: "gaveUp" | "skipped", window: TimeWindow): StatusText {
  return warningStatus(key, { span: timeSpan(window) });
}

function isoSpan({ start, end }: TimeWindow): { from: string; to: string } {
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() };
}
