// The shapes of work that the benchmark measures: how long the windows are, and how many requests are in flight.
import { DAY, RECORDS_PER_DAY, SLOT, type Span, spanOf } from "./work";

/** Of which speed and CPU time are compared with those of the bare loop (a) and the core flow (b). */
export interface Goals {
  speedToLoop: number;
  speedToCore: number;
  cpuToCore?: number;
}

export interface Shape {
  /** Selects the shape on the command line. */
  name: string;
  text: string;
  spans: (now: number) => Span[];
  recordsPerSpan: number;
  /** Requests in flight, and the nodes that make them: each has one request in flight, unless it reads a range. */
  inFlight: number;
  nodes?: number;
  /** How many of the spans one message to a node is for; they follow on one another. Default: 1. */
  spansPerMessage?: number;
  /** How many messages wait at each node. Default: 1, the one that it works on. */
  queued?: number;
  competitors: readonly ("poll" | "history")[];
  goals: Goals;
}

const DAY_GOALS: Goals = { speedToLoop: 0.7, speedToCore: 3, cpuToCore: 0.35 };
const SMALL_GOALS: Goals = { speedToLoop: 0.9, speedToCore: 2 };

export const DAYS_OF_SERVICE = 365;
const SMALL = 6;
/** Windows of one run. */
const SMALL_WINDOWS = 1200;
const DAYS = 120;

const BOTH = ["poll", "history"] as const;

const smallWindows = {
  spans: (now: number): Span[] => spread(now, SMALL_WINDOWS, SMALL),
  recordsPerSpan: SMALL,
  competitors: BOTH,
  goals: SMALL_GOALS,
};
const days = {
  spans: (now: number): Span[] => lastDays(now, DAYS),
  recordsPerSpan: RECORDS_PER_DAY,
  competitors: BOTH,
  goals: DAY_GOALS,
};

export const SHAPES: readonly Shape[] = [
  { ...days, name: "days-1", text: "many days, a message each, one node", inFlight: 1 },
  { ...days, name: "days-8", text: "many days, a message each, eight nodes", inFlight: 8 },
  {
    ...smallWindows,
    name: "small-windows-1",
    text: `many windows of ${SMALL} records, a message each, one node`,
    inFlight: 1,
  },
  {
    ...smallWindows,
    name: "small-windows-8",
    text: `many windows of ${SMALL} records, a message each, eight nodes`,
    inFlight: 8,
  },
  {
    ...smallWindows,
    name: "queued-polls",
    text: `many polls of ${SMALL} records, whose messages wait at one node`,
    inFlight: 1,
    queued: 50,
    competitors: ["poll"],
  },
  {
    ...days,
    name: "history-nodes",
    text: "four history nodes, a range of 30 days each",
    inFlight: 8,
    nodes: 4,
    spansPerMessage: DAYS / 4,
    competitors: ["history"],
  },
  {
    ...days,
    name: "year",
    text: "a year in one message",
    spans: (now) => lastDays(now, DAYS_OF_SERVICE),
    inFlight: 1,
    spansPerMessage: DAYS_OF_SERVICE,
  },
];

/** The last periods of 24 hours before `end`, oldest first. */
function lastDays(end: number, count: number): Span[] {
  return Array.from({ length: count }, (_none, index) => {
    const start = end - (count - index) * DAY;
    return spanOf(start, start + DAY);
  });
}

/** Windows of so many records each, spread over the whole time of the service. */
function spread(end: number, count: number, records: number): Span[] {
  const step = Math.floor((DAYS_OF_SERVICE * RECORDS_PER_DAY) / count) * SLOT;
  return Array.from({ length: count }, (_none, index) => {
    const start = end - (count - index) * step;
    return spanOf(start, start + records * SLOT);
  });
}
