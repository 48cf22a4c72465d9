// Faults that the test service can inject into its responses, over real HTTP.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ReceivedRequest } from "./request-log";

type FaultAction =
  /** A custom response; the status defaults to 200. Text is sent unchanged, anything else as JSON. */
  | { status?: number; headers?: Record<string, string>; body?: unknown; contentType?: string }
  /** Responds normally, with a Date header that is off by so much, and an Age in seconds. */
  | { dateBy: number; age?: number }
  /** Responds normally, but late. */
  | { delayMs: number }
  /** Headers and part of the body, then silence. */
  | { stall: true }
  /** A byte every few milliseconds, endlessly. */
  | { drip: true }
  /** The connection breaks before a response. */
  | { reset: true }
  /** Truncated JSON, with a matching content length. */
  | { truncate: true }
  | { respond: (request: IncomingMessage, response: ServerResponse) => void };

/** Which requests the fault applies to, and how many of them (1 by default). */
export type Fault = {
  path?: RegExp;
  method?: string;
  fits?: (request: ReceivedRequest) => boolean;
  times?: number;
} & FaultAction;

// Saved before a test fakes the clock, so that faults use real time.
const { setTimeout, clearTimeout } = globalThis;

const CUT_JSON = '{"data": [{"startTime": "2026-01-01T00:0';

/** Resolves to true if the fault has responded, or to false if the normal response should follow. */
export async function act(
  fault: FaultAction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if ("delayMs" in fault) {
    await pause(fault.delayMs, response);
    return response.destroyed;
  }
  if ("dateBy" in fault) {
    response.setHeader("date", new Date(Date.now() + fault.dateBy).toUTCString());
    if (fault.age !== undefined) response.setHeader("age", fault.age);
    return false;
  }
  if ("reset" in fault) {
    request.socket.resetAndDestroy();
  } else if ("stall" in fault) {
    response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
    response.write(CUT_JSON);
  } else if ("drip" in fault) {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"data": [');
    while (!response.destroyed) {
      response.write(" ");
      await pause(5, response);
    }
  } else if ("truncate" in fault) {
    answer(response, { body: CUT_JSON });
  } else if ("respond" in fault) {
    fault.respond(request, response);
  } else {
    answer(response, fault);
  }
  return true;
}

function answer(
  response: ServerResponse,
  {
    status = 200,
    headers,
    body = { error: { code: "FAULT", message: "a fault of the test" } },
    contentType = "application/json",
  }: { status?: number; headers?: Record<string, string>; body?: unknown; contentType?: string },
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Resolves early if the connection closes. */
function pause(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      response.off("close", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    response.once("close", end);
  });
}
