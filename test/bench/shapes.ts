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
  /** Whether the first run of fresh processes is measured, as a house that has just restarted pays it. */
  isCold?: true;
  competitors: readonly ("poll" | "history")[];
  goals: Goals;
}

const DAY_GOALS: Goals = { speedToLoop: 0.7, speedToCore: 3, cpuToCore: 0.35 };
const SMALL_GOALS: Goals = { speedToLoop: 0.9, speedToCore: 2 };
const COLD_GOALS: Goals = { speedToLoop: 0.4, speedToCore: 1 };

export const DAYS_OF_SERVICE = 365;
const SMALL = 6;
/** Windows of one run. */
const SMALL_WINDOWS = 1200;
const DAYS = 120;
const COLD_DAYS = 100;
const COLD_WINDOWS = 500;

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
  {
    ...days,
    name: "cold-days",
    text: "the first days of a fresh process, a message each, one node",
    spans: (now) => lastDays(now, COLD_DAYS),
    inFlight: 1,
    isCold: true,
    goals: COLD_GOALS,
  },
  {
    ...smallWindows,
    name: "cold-small-windows",
    text: `the first windows of ${SMALL} records of a fresh process, a message each, one node`,
    spans: (now) => spread(now, COLD_WINDOWS, SMALL),
    inFlight: 1,
    isCold: true,
    goals: COLD_GOALS,
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
