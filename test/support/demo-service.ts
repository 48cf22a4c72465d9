// The demo service as strict as the real one, and with what tests change: tokens, methods, records of any form, intercepted requests.
import type { IncomingMessage, ServerResponse } from "node:http";
import { answerTo, badRequest, type DemoRecords, Refusal } from "../../src/demo/endpoints";
import { type Counts, type Energy, plus } from "../../src/demo/energy-day";
import { type EnergyHistory, SLOT, slotBetween } from "../../src/demo/energy-history";
import { type DemoService, serve } from "../../src/demo/server";
import type { IntervalRecord } from "../../src/models/telemetry";
import { HOUR, isInWindow, MINUTE } from "../../src/time-units";
import { DEMO_SETTINGS } from "../../nodes/account/account-settings";
import { type Credentials, TokenStore } from "./demo-tokens";

const { clientId, clientSecret } = DEMO_SETTINGS;
/** Nothing else: a credential counts before a setting. */
export const DEMO_CREDENTIALS: Credentials = { clientId, clientSecret };

/** What records a site has. Durations in milliseconds. */
export interface RecordForm {
  /** All are of one length, and some record begins at the offset. */
  length: number;
  offset: number;
  /** From the end of a record until it can be read. */
  lag: number;
  /** Whether the record that is in progress is shown. */
  showsCurrent: boolean;
}

const USUAL: RecordForm = { length: 5 * MINUTE, offset: 0, lag: 0, showsCurrent: false };

export interface StrictOptions {
  /** The service's clock, in milliseconds since the epoch. */
  now?: () => number;
  /** The only ones that are accepted. Default: those of the demo. */
  credentials?: Credentials;
  /** Default 0: any free port. */
  port?: number;
  /** Called first for every request; returns true if it responds itself, now or later. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  /** Changes a successful body: another envelope, pages, further fields. */
  shape?: (body: unknown, url: URL) => unknown;
  /** How the records of a site differ from the usual ones. */
  records?: ((siteId: string) => Partial<RecordForm>) | undefined;
  /** Returns the record to show, whose times may move by up to an hour; undefined if it does not exist (yet). */
  publish?: (siteId: string, systemId: string, record: IntervalRecord) => IntervalRecord | undefined;
}

export interface StrictService extends DemoService {
  /** Rejects all tokens issued so far. */
  revokeTokens(): void;
}

/** Resolves once the service accepts requests. Rejects if the port is in use. */
export async function startStrictService(options: StrictOptions = {}): Promise<StrictService> {
  const { now = () => Date.now(), credentials = DEMO_CREDENTIALS, intercept, shape, port } = options;
  const tokens = new TokenStore(now, credentials);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    response.setHeader("date", new Date(now()).toUTCString());
    if (await intercept?.(request, response)) return undefined;
    const url = new URL(request.url ?? "", "http://demo");
    const isLogin = url.pathname === "/v1/auth";
    if (!isLogin) tokens.check(request);
    const method = isLogin ? "POST" : "GET";
    if (request.method !== method) throw new Refusal(405, "METHOD_NOT_ALLOWED", `Use ${method}`);
    checkRecordRequest(request, url);
    const body = isLogin ? tokens.issue(request) : await answerTo(request, now(), recordsOf(options));
    return shape?.(body, url) ?? body;
  };
  return { ...(await serve(respond, port)), revokeTokens: () => tokens.revokeAll() };
}

function checkRecordRequest({ headers }: IncomingMessage, { pathname, searchParams }: URL): void {
  if (!/^(true|false)$/.test(searchParams.get("includeInverter") ?? "false"))
    throw badRequest("includeInverter must be true or false");
  if (pathname.endsWith("/rgm-telemetry") && headers["vendorapi-version"] === undefined)
    throw badRequest("rgm-telemetry needs the version header");
}

/** How far `publish` may move a record. */
const MAX_MOVE = HOUR;

/** Undefined for those that the demo has. */
function recordsOf({ publish, records: formOf }: StrictOptions): DemoRecords | undefined {
  if (!publish && !formOf) return undefined;
  return ({ siteId, systemId, window, now, history, make }) => {
    const { length, offset, lag, showsCurrent } = { ...USUAL, ...formOf?.(siteId) };
    const move = publish ? MAX_MOVE : 0;
    // Nothing is known of the future.
    const [from, until] = [window.start - move, Math.min(window.end, now) + move];
    const shown: IntervalRecord[] = [];
    const first = offset + Math.floor((from - offset) / length) * length;
    let before = energyAt(history, first);
    for (let start = first; start < until; start += length) {
      const end = start + length;
      const after = energyAt(history, Math.min(end, now + move));
      const slot = slotBetween({ start, end }, before, after);
      before = after;
      const made = slot && make(slot);
      const record = made && publish ? publish(siteId, systemId, made) : made;
      if (!record) continue;
      const times = { start: Date.parse(record.startTime), end: Date.parse(record.endTime) };
      // A record whose times cannot be read is where it would be if they could.
      const at = Number.isNaN(times.end) ? { start, end } : times;
      const isCurrent = showsCurrent && at.start <= now && at.end > now;
      if (isInWindow(at, window) && (at.end + lag <= now || isCurrent)) shown.push(record);
    }
    return shown;
  };
}

/** Within five minutes, everything changes evenly. */
function energyAt(history: EnergyHistory, time: number): Energy | undefined {
  const before = history.at(time);
  const share = (time - Math.floor(time / SLOT) * SLOT) / SLOT;
  if (!before || share === 0) return before;
  const after = history.at(time + SLOT) ?? before;
  const total: Counts = plus(before.total, plus(after.total, before.total, -1), share);
  return { total, stored: before.stored + share * (after.stored - before.stored) };
}
