// The competitors: each does the work of a shape in its own process, and measures it.
import { Child } from "./child";
import { CLIENT, coreFlow, historyFlow, pollFlow } from "./flows";
import { startRig } from "./rig";
import { DAYS_OF_SERVICE, type Shape } from "./shapes";
import { type Sample, SLOT, type Span, spanUrl, type Work } from "./work";

export interface Competitor {
  name: string;
  run(): Promise<Sample>;
  stop: () => Promise<void>;
}

export interface Service {
  baseUrl: string;
  token: string;
  /** The end of the newest record, in milliseconds. */
  now: number;
  /** CPU seconds of the service so far. */
  cpuSeconds: () => Promise<number>;
  stop: () => Promise<void>;
}

type Starter = (service: Service, shape: Shape) => Promise<Competitor>;

/** A poll reads up to now, and the benchmark goes on after the newest record: a day less this is one request. */
const POLL_MARGIN = 6 * SLOT;

export async function startService(): Promise<Service> {
  const now = Math.floor(Date.now() / SLOT) * SLOT;
  const service = new Child("service.ts");
  const basic = `Basic ${Buffer.from(`${CLIENT.clientId}:${CLIENT.clientSecret}`).toString("base64")}`;
  const question = { now, days: DAYS_OF_SERVICE, basic };
  const address = await service.ask<{ baseUrl: string; token: string }>(question);
  return { ...address, now, cpuSeconds: () => service.ask<number>("cpu"), stop: () => service.end() };
}

const startAxiosLoop: Starter = async ({ baseUrl, token, now }, { spans, inFlight }) => {
  const script = new Child("axios-loop.ts");
  const work: Work = { baseUrl, token, spans: spans(now), inFlight };
  return {
    name: "bare axios loop (a)",
    run: () => script.ask<Sample>(work),
    stop: () => script.end(),
  };
};

const startCoreFlow: Starter = async ({ baseUrl, token, now }, { spans, inFlight, recordsPerSpan }) => {
  const rig = await startRig(coreFlow());
  const messages = spans(now).map((span) => ({ url: spanUrl(baseUrl, span), token }));
  return {
    name: "flow of core nodes (b)",
    run: () => rig.run({ messages, recordsPerMessage: recordsPerSpan, inFlow: inFlight }),
    stop: rig.stop,
  };
};

/** Each message makes the poll catch up from its start time: with the newest records, or with all of the year. */
const startPollFlow: Starter = async ({ baseUrl, now }, shape) => {
  const { nodes, inFlow, perMessage } = nodesOf(shape);
  const rig = await startRig(pollFlow(baseUrl, nodes));
  const records = Math.min(perMessage * shape.recordsPerSpan, DAYS_OF_SERVICE * 288);
  const isDay = perMessage === 1 && shape.recordsPerSpan * SLOT > POLL_MARGIN;
  const recordsPerMessage = isDay ? records - POLL_MARGIN / SLOT : records;
  const startTime = new Date(now - recordsPerMessage * SLOT).toISOString();
  const messages = shape
    .spans(now)
    .slice(0, shape.spans(now).length / perMessage)
    .map(() => ({ startTime }));
  return {
    name: "telemetry poll",
    run: () => rig.run({ messages, recordsPerMessage, inFlow }),
    stop: rig.stop,
  };
};

const startHistoryFlow: Starter = async ({ baseUrl, now }, shape) => {
  const { nodes, inFlow, perMessage } = nodesOf(shape);
  const rig = await startRig(historyFlow(baseUrl, nodes));
  const messages = joined(shape.spans(now), perMessage).map((payload) => ({ payload }));
  return {
    name: "history",
    run: () => rig.run({ messages, recordsPerMessage: perMessage * shape.recordsPerSpan, inFlow }),
    stop: rig.stop,
  };
};

export const STARTERS = {
  poll: startPollFlow,
  history: startHistoryFlow,
  loop: startAxiosLoop,
  core: startCoreFlow,
};

function nodesOf({ inFlight, nodes = inFlight, queued = 1, spansPerMessage = 1 }: Shape): {
  nodes: number;
  inFlow: number;
  perMessage: number;
} {
  return { nodes, inFlow: nodes * queued, perMessage: spansPerMessage };
}

/** Spans that follow on one another, so many at a time as one. */
function joined(spans: readonly Span[], count: number): Span[] {
  return Array.from({ length: spans.length / count }, (_none, index) => {
    const [first, last] = [spans[index * count], spans[(index + 1) * count - 1]];
    return { startTime: first?.startTime ?? "", endTime: last?.endTime ?? "" };
  });
}
