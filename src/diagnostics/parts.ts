// What a report is made of. Ids are plain here; the report replaces them.
import type { ClientDiagnostics } from "../client/service-client";
import type { ErrorCode, ErrorText } from "../errors";
import type { SeriesAddress } from "../series/identity";
import type { SeriesSummary } from "../polling/series-poller";

/** All times in milliseconds by the local clock, unless stated otherwise. */
export interface ReportParts {
  at: number;
  versions: Texts;
  /** Absent if the report is about an account. */
  node?: NodePart | undefined;
  /** Absent if a node has none. */
  account?: AccountPart | undefined;
}

/** Values that are safe to publish, by their name. */
export type Texts = Readonly<Record<string, string>>;

export interface AccountPart {
  id: string;
  settings: Texts;
  /** Why there is no connection. */
  problem?: FailurePart | undefined;
  client?: ClientDiagnostics;
}

export interface NodePart {
  id: string;
  /** Such as `energy-telemetry-poll`. */
  type: string;
  settings: Texts;
  /** When the next scheduled run is due. */
  nextRun?: number | undefined;
  runs: RunsPart;
  series: readonly SeriesPart[];
  /** Of the node statistics. */
  statistics: readonly StatisticPart[];
}

/** How a statistic in Home Assistant stands. */
export interface StatisticPart {
  readonly id: string;
  /** The end of the newest hour that Home Assistant has; undefined if none was written since the start. */
  readonly completeTo: number | undefined;
  /** Hours that wait to be written. */
  readonly owed: number;
}

export interface RunsPart {
  /** Since the node was started. */
  count: number;
  last?: {
    at: number;
    trigger: "message" | "schedule or timer";
    outcome: "running" | "succeeded" | "failed";
    /** Milliseconds; absent while it is running. */
    duration?: number;
  };
  lastSuccess?: number;
  /** The last failures, oldest first. */
  failures: readonly FailurePart[];
  /** The key of the last status: its texts may name anything. */
  status?: string;
}

export interface FailurePart {
  at: number;
  code: ErrorCode;
  text: ErrorText;
  statusCode?: number | undefined;
  address?: SeriesAddress | undefined;
  /** For an unexpected error: its class, and the places in this package where it came from. */
  origin?: readonly string[];
}

export interface SeriesPart {
  address: SeriesAddress;
  /** Undefined before its stored position was loaded. */
  summary: SeriesSummary | undefined;
}
