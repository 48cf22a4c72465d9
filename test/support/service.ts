// The test double of the service: the demo service with faults, held responses, and a request log.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { startStrictService, type StrictOptions } from "./demo-service";
import { act, type Fault } from "./faults";
import { idle, withhold } from "./idle";
import { type ReceivedRequest, RequestLog } from "./request-log";

export type { Fault } from "./faults";

type RecordTest = (siteId: string, systemId: string | undefined, record: Interval) => boolean;
type Interval = { startTime: string; endTime: string };

/** Responses that are held until the test releases them. */
interface Hold {
  /** Resolves once the given number of requests are waiting. */
  arrived(count?: number): Promise<void>;
  /** Releases these and all later requests. */
  release(): void;
}

export interface TestService {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  requests: ReceivedRequest[];
  received: RequestLog;
  /** Requests whose response has been sent. */
  answered: RequestLog;
  /** Requests that the client aborted before the response. */
  abandoned: RequestLog;
  /** The requests whose path matches, in order. */
  requestsTo(pattern: RegExp): ReceivedRequest[];
  /** Adds a fault; the newest fault that matches a request applies. */
  fault(fault: Fault): void;
  clearFaults(): void;
  /** Holds the responses to all requests whose path matches, optionally only to some of them. */
  hold(path: RegExp, fits?: (request: ReceivedRequest) => boolean): Hold;
  /** Resolves once all requests have ended except those on hold, and everything has been done that needs no time to pass. */
  idle(): Promise<void>;
  revokeTokens(): void;
  /** Simulates late data: hides records that match the test; undefined shows all again. */
  hideRecords(test: RecordTest | undefined): void;
  /** Simulates revised or unaligned data; undefined ends the simulation. */
  changeRecords(change: StrictOptions["publish"]): void;
  close(): Promise<void>;
}

export type TestServiceOptions = Pick<StrictOptions, "now" | "credentials" | "port" | "shape" | "records">;

let started = 0;

/** Unique to each service: tokens are cached by URL and credentials, and a port may be reused. */
function nextCredentials(): { clientId: string; clientSecret: string } {
  started += 1;
  return { clientId: `test-client-${started}`, clientSecret: "s3cret-4d7f" };
}

const credentialsByUrl = new Map<unknown, { clientId: string; clientSecret: string }>();

/** The credentials for the service at a URL; placeholders if there is no such service. */
export function credentialsFor(baseUrl: unknown): { clientId: string; clientSecret: string } {
  return credentialsByUrl.get(baseUrl) ?? { clientId: "test-client", clientSecret: "s3cret-4d7f" };
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const { now = () => Date.now(), credentials = nextCredentials() } = options;
  const [received, answered, abandoned] = [new RequestLog(), new RequestLog(), new RequestLog()];
  const faults: Fault[] = [];
  const holds = new Set<Barrier>();
  let hidden: RecordTest | undefined;
  let change: StrictOptions["publish"];

  const publish: StrictOptions["publish"] = (siteId, systemId, record) => {
    const changed = change?.(siteId, systemId, record) ?? record;
    return hidden?.(siteId, systemId, changed) ? undefined : changed;
  };
  const intercept = async (request: IncomingMessage, response: ServerResponse) => {
    const incoming = await receive(request, now());
    received.add(incoming);
    response.once("close", () => (response.writableFinished ? answered : abandoned).add(incoming));
    const fault = nextFault(faults, incoming);
    const holding = [...holds].filter((hold) => hold.holds(incoming));
    if (holding.length > 0 && !response.destroyed) {
      const end = withhold();
      response.once("close", end);
      await Promise.all(holding.map((hold) => hold.wait()));
      end();
    }
    return response.destroyed || (fault !== undefined && act(fault, request, response));
  };

  const demo = await startStrictService({
    ...options,
    now,
    credentials,
    intercept,
    // Looked up by each request: without a change, the records are those of the demo, and no others are made.
    get publish(): StrictOptions["publish"] {
      return (hidden ?? change) ? publish : undefined;
    },
  });

  credentialsByUrl.set(demo.baseUrl, credentials);
  return {
    ...credentials,
    baseUrl: demo.baseUrl,
    requests: received.all,
    requestsTo: (pattern) => received.to(pattern),
    received,
    answered,
    abandoned,
    fault: (fault) => void faults.unshift({ ...fault }),
    clearFaults: () => void faults.splice(0),
    hold(path, fits = () => true) {
      const barrier = new Barrier((request) => path.test(request.path) && fits(request));
      holds.add(barrier);
      return {
        arrived: (count = 1) => barrier.arrived(count),
        release() {
          holds.delete(barrier);
          barrier.open();
        },
      };
    },
    idle,
    revokeTokens: () => demo.revokeTokens(),
    hideRecords: (test) => void (hidden = test),
    changeRecords: (transform) => void (change = transform),
    async close() {
      await demo.close();
      for (const barrier of holds) barrier.open();
    },
  };
}

async function receive(request: IncomingMessage, at: number): Promise<ReceivedRequest> {
  const { url = "" } = request;
  const [path = "", query] = url.split("?", 2);
  return {
    url,
    method: request.method ?? "",
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: request.headers,
    body: await readText(request),
    at,
  };
}

/** Finds the fault for a request, and uses up one of its times. */
function nextFault(faults: Fault[], request: ReceivedRequest): Fault | undefined {
  const { method, path } = request;
  const index = faults.findIndex(
    (fault) =>
      (fault.path?.test(path) ?? true) &&
      (fault.method ?? method) === method &&
      (fault.fits?.(request) ?? true),
  );
  const fault = faults[index];
  if (!fault) return undefined;
  fault.times = (fault.times ?? 1) - 1;
  if (fault.times <= 0) faults.splice(index, 1);
  return fault;
}

class Barrier {
  private readonly waiting: (() => void)[] = [];
  private readonly watchers: { count: number; resolve: () => void }[] = [];

  constructor(readonly holds: (request: ReceivedRequest) => boolean) {}

  wait(): Promise<void> {
    const passed = new Promise<void>((resolve) => void this.waiting.push(resolve));
    for (const { count, resolve } of this.watchers) if (this.waiting.length >= count) resolve();
    return passed;
  }

  arrived(count: number): Promise<void> {
    if (this.waiting.length >= count) return Promise.resolve();
    return new Promise((resolve) => void this.watchers.push({ count, resolve }));
  }

  open(): void {
    for (const pass of this.waiting) pass();
  }
}
