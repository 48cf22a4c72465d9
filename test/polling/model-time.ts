// A model series in time: both clocks are set by the test, and scheduled runs follow each other.
import { errorText, HttpError } from "../../src/errors";
import type { PollRule } from "../../src/polling/ports";
import { HOUR, MINUTE, type TimeWindow } from "../../src/time-units";
import { type ModelRecord, ModelSeries } from "./model-series";

export const noon = Date.UTC(2026, 5, 1, 12);
export const DAY = 24 * HOUR;
export const REFUSED = new HttpError(errorText("refused", { what: "Telemetry", status: 400 }), {
  statusCode: 400,
});

const RULE: PollRule = {
  lookBack: 0,
  fillsGaps: true,
  gapHorizon: 72 * HOUR,
  gapRetryDelay: 5 * MINUTE,
  startBefore: 0,
  isBatch: false,
};

export class ModelTime {
  /** By the machine's clock, and by the monotonic one; milliseconds. */
  now = noon;
  elapsed = 0;
  readonly clock = { now: () => this.now, monotonic: () => this.elapsed, isSure: true as boolean };

  seriesOf(records: ModelRecord[], rule: Partial<PollRule> = {}, serviceNow?: () => number): ModelSeries {
    const options = { records, rule: { ...RULE, ...rule }, clock: this.clock };
    return new ModelSeries({ ...options, ...(serviceNow && { serviceNow }) });
  }

  /** A series that owes everything from noon on. */
  async started(...options: Parameters<ModelTime["seriesOf"]>): Promise<ModelSeries> {
    const series = this.seriesOf(...options);
    await series.run();
    return series;
  }

  pass(minutes: number): void {
    this.now += minutes * MINUTE;
    this.elapsed += minutes * MINUTE;
  }

  /** Scheduled runs every five minutes, or every so many. */
  async watch(series: ModelSeries, minutes: number, every = 5): Promise<void> {
    for (let passed = 0; passed < minutes; passed += every) {
      this.pass(every);
      await series.run(false);
    }
  }
}

/** Records of five minutes each in [from, to), in minutes after noon, published when they end or at `published`. */
export function records(from: number, to: number, published?: number): ModelRecord[] {
  const result: ModelRecord[] = [];
  for (let minute = from; minute < to; minute += 5) {
    const end = noon + (minute + 5) * MINUTE;
    const known = published === undefined ? end : noon + published * MINUTE;
    result.push({ start: end - 5 * MINUTE, end, published: known });
  }
  return result;
}

/** In minutes after noon, as are all below. */
export function expected(from: number, to: number): number[] {
  return records(from, to).map(({ start }) => (start - noon) / MINUTE);
}

export function starts({ sent }: ModelSeries): number[] {
  return sent.map(({ due }) => (due.start - noon) / MINUTE);
}

export function sorted(times: number[]): number[] {
  return times.toSorted((a, b) => a - b);
}

export function givenUp({ notices }: ModelSeries): number[][] {
  return notices.flatMap((notice) => (notice.kind === "given-up" ? [minutesOf(notice.window)] : []));
}

function minutesOf({ start, end }: TimeWindow): number[] {
  return [(start - noon) / MINUTE, (end - noon) / MINUTE];
}
