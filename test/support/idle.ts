// Waits until nothing is under way in this process but timers, and requests whose response a test withholds.
import { subscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import { setImmediate as nextTurn, setTimeout as timeout } from "node:timers/promises";

/** What passes from one turn to the next without an immediate: promises, ticks, and events of sockets. */
const QUIET_TURNS = 4;

/** How often to look for work at every turn, before this is done every millisecond. */
const PATIENT_TURNS = 5;

/** Work that ends by itself, as Node.js names it: files, DNS, and what waits for the next turn. */
const WORK: ReadonlySet<string> = new Set([
  "FSReqPromise",
  "FSReqCallback",
  "CloseReq",
  "GetAddrInfoReqWrap",
  "Immediate",
]);

/** Never faked. */
const pause = timeout;

/** Requests from their start, before the connection, to the end of the response as received. */
const requests = new Set<unknown>();
const withheld = new Set<object>();
const events = new EventEmitter().setMaxListeners(0);

/** undici reports its requests, whether of the client or of fetch. */
function onRequest(event: "create" | "trailers" | "error", change: (request: unknown) => void): void {
  subscribe(`undici:request:${event}`, (message) => {
    change((message as { request: unknown }).request);
    events.emit("change");
  });
}

onRequest("create", (request) => requests.add(request));
onRequest("trailers", (request) => requests.delete(request));
onRequest("error", (request) => requests.delete(request));

/** Notes that a request gets no response until the returned function is called. */
export function withhold(): () => void {
  const response = {};
  withheld.add(response);
  events.emit("change");
  return () => {
    withheld.delete(response);
    events.emit("change");
  };
}

/** However slow the machine is, no time of a faked clock has to pass until this resolves. */
export async function idle(): Promise<void> {
  for (let [quiet, busy] = [0, 0]; quiet < QUIET_TURNS; quiet += 1) {
    await nextTurn();
    while (requests.size !== withheld.size) {
      quiet = 0;
      await once(events, "change");
    }
    if (!process.getActiveResourcesInfo().some((resource) => WORK.has(resource))) continue;
    quiet = 0;
    busy += 1;
    // A disk takes its time: leaves the processor to it.
    if (busy > PATIENT_TURNS) await pause(1);
  }
}
