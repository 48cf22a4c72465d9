// Connects an mqtt readings node to its publisher: messages, the timer, and the devices stored across restarts.
import { sharedClock } from "../../src/clock";
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { isFailure, outcomeOf } from "../../src/mqtt/home-assistant/bridge";
import { homeAssistantStatus } from "../../src/mqtt/home-assistant/discovery";
import { Publisher, type Steps } from "../../src/mqtt/home-assistant/publisher";
import { readDevice, StoredDevices } from "../../src/mqtt/home-assistant/stored-devices";
import { totalsOf } from "../../src/mqtt/home-assistant/totals";
import {
  addressOf,
  alertUpdateOf,
  type MessageRecord,
  readMessage,
  recordsIn,
  siteDetailsOf,
  sitesOf,
} from "../../src/messages/reader";
import { assertSendable, inTurns } from "../../src/loop-turns";
import { isServiceObject } from "../../src/models/service-object";
import { parseServiceTime } from "../../src/models/time";
import { MAX_TOPIC_BYTES } from "../../src/limits";
import { type Publication, publicationCount, type PublishRule } from "../../src/mqtt/publications";
import type { SettingValues } from "../../src/settings/kinds";
import { shownText } from "../../src/shown-text";
import type { Input, Work } from "../shared/runtime/lifecycle/lifecycle";
import { clock, recordsStatus, type StatusText, warningStatus } from "../shared/runtime/base/status";
import { fileGroup } from "../shared/runtime/state/storage";
import type { NodeSettings } from "../shared/runtime/base/settings";
import { messageMaker } from "../shared/runtime/base/message";
import { DueTimer } from "../shared/runtime/lifecycle/schedule";
import type { MQTT } from "./settings";

type MqttSettings = NodeSettings<SettingValues<typeof MQTT>>;

interface Connection {
  rule: PublishRule;
  /** Only Home Assistant needs what is stored. */
  stored: StoredDevices | undefined;
  publisher: Publisher;
}

/** What mqtt out obeys, in addition to what is set here: none of it may come with a record. */
const OBEYED =
  "action broker responseTopic correlationData contentType messageExpiryInterval userProperties topicAlias payloadFormatIndicator".split(
    " ",
  );

/** What was published since the start, for the status. */
interface Published {
  readonly sites: Set<string>;
  records: number;
}

/** More are not counted. */
const MAX_SITES = 10_000;
/** Characters of a site in the status. */
const LONGEST_SITE = 24;

/** "14:05 · demo-house: 12 records"; of several sites, their number. */
function publishedStatus({ sites, records }: Published, newestEnd = sharedClock.now()): StatusText {
  const [site = ""] = sites;
  const values = { time: clock(newestEnd), count: records };
  if (sites.size === 1) return { key: "mqtt:ofSite", values: { ...values, site } };
  return { key: "mqtt:ofSites", values: { ...values, sites: { count: sites.size } } };
}

/** What to publish, and what to add to the `msg.energy` of its messages. */
interface Batch {
  publications: readonly Publication[];
  energy?: Record<string, unknown>;
}

export class InputHandler {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: MqttSettings;
  readonly #timer: DueTimer;
  #connection: Connection | undefined;
  #farewell: Promise<void> | undefined;
  readonly #published: Published = { sites: new Set(), records: 0 };

  /** `onTimer` is called when something is due; it must queue `onTimeout`. */
  constructor(RED: NodeAPI, node: Node, settings: MqttSettings, onTimer: () => void) {
    this.#timer = new DueTimer(onTimer);
    this.#RED = RED;
    this.#node = node;
    this.#settings = settings;
  }

  /** Loads the known devices. Rejects if they cannot be read or the node is not configured. */
  readonly start = async (): Promise<void> => {
    await this.#connect();
  };

  /** Rejects like `start`, and with InputError for a message without records, or with too many. */
  async handle({ message, send, signal }: Input): Promise<StatusText> {
    const connection = await this.#connect();
    const now = sharedClock.now();
    const { batches, status } =
      deviceOutcome(message, connection, now) ??
      (await recordOutcome(message, connection, now, this.#published));
    const told = outcomeOf(message);
    const all = [told ? inBatches(connection.publisher.updateBridge(told, now)) : [], batches];
    await inTurns(this.#messages(connection, inOrder(all), message), (made) => made && send(made), signal);
    // A storage failure is reported only after the messages have been sent.
    await connection.stored?.save(connection.publisher.devices);
    return status();
  }

  /** Publishes what is due without an incoming message. */
  readonly onTimeout: Work = async ({ send, signal }) => {
    const connection = this.#connection;
    if (!connection) return undefined;
    const batches = inBatches(connection.publisher.due(sharedClock.now()));
    await inTurns(this.#messages(connection, batches), (made) => made && send(made), signal);
    return undefined;
  };

  /** Leaves the devices offline if nothing will publish them; a node that is restarted continues within seconds. */
  readonly stop = (isRemoved: boolean): void => {
    this.#timer.close();
    const connection = this.#connection;
    if (!connection || !isRemoved) return;
    const batches = inBatches(connection.publisher.farewell(sharedClock.now()));
    this.#farewell = inTurns(this.#messages(connection, batches), (made) => made && this.#node.send(made));
  };

  readonly close = async (): Promise<void> => {
    await Promise.allSettled([this.#farewell, this.#connection?.stored?.flush()]);
  };

  async #connect(): Promise<Connection> {
    if (this.#connection) return this.#connection;
    const settings = this.#settings.valid();
    const rule: PublishRule = { ...settings, expireAfter: settings.expireAfter * 1000 };
    const now = sharedClock.now();
    const { discovery, prefix, discoveryPrefix } = rule;
    const key = { prefix, discoveryPrefix };
    const stored = discovery
      ? new StoredDevices(fileGroup(this.#RED, this.#node, key, { read: readDevice }))
      : undefined;
    const publisher = new Publisher(rule, (await stored?.load()) ?? new Map(), now, sharedClock);
    this.#timer.set(publisher.nextDue());
    this.#connection = { rule, stored, publisher };
    return this.#connection;
  }

  /**
   * Messages for an mqtt out node, as they are needed; undefined after a batch without any. Only the last has `delivery` and
   * `ledger` of the incoming message: once the broker has received it, it has received all of them.
   */
  *#messages(
    { rule, publisher }: Connection,
    batches: Iterable<Batch>,
    incoming: NodeMessage = {},
  ): Iterable<NodeMessage | undefined> {
    const make = messageMaker(this.#RED, incoming, OBEYED);
    let last: NodeMessage | undefined;
    for (const { publications, energy = {} } of batches) {
      if (publications.length === 0) yield undefined;
      for (const { topic, payload, retain } of publications.filter(isPossible)) {
        yield last;
        const own = { ...this.#RED.util.cloneMessage(energy), kind: "mqtt" as const };
        last = Object.assign(make({ payload, energy: own }), { topic, qos: rule.qos, retain });
      }
    }
    const given = isServiceObject(incoming["energy"]) ? incoming["energy"] : {};
    const confirming = ["delivery", "ledger"].filter((name) => given[name] !== undefined);
    for (const name of confirming) Object.assign(last?.["energy"] ?? {}, { [name]: given[name] });
    yield last;
    this.#timer.set(publisher.nextDue());
  }
}

/** A longer topic, from a long prefix, would break the connection to the broker. */
function isPossible({ topic }: Publication): boolean {
  return Buffer.byteLength(topic) <= MAX_TOPIC_BYTES;
}

/** What a message causes to be published, and the status to show then. */
interface Outcome {
  batches: Iterable<Batch>;
  status: () => StatusText;
}

function* inOrder<Item>(parts: readonly Iterable<Item>[]): Iterable<Item> {
  for (const part of parts) yield* part;
}

function* inBatches(steps: Steps, energy: Record<string, unknown> = {}): Iterable<Batch> {
  for (const publications of steps) yield { publications, energy };
}

/** Of a message from totals, or about devices; undefined for one with records. */
function deviceOutcome(message: NodeMessage, connection: Connection, now: number): Outcome | undefined {
  const { publisher } = connection;
  const totals = isFailure(message) ? undefined : totalsOf(message);
  if (totals) {
    const { energy, payload } = totals;
    return {
      batches: inBatches(publisher.updateTotals(totals, now), energy),
      status: () => recordsStatus(1, parseServiceTime(payload["until"])),
    };
  }
  const steps = deviceSteps(message, connection, now);
  return (
    steps && {
      batches: inBatches(steps),
      status: () => ({ key: "mqtt:devices", values: { count: publisher.devices.size } }),
    }
  );
}

function deviceSteps(message: NodeMessage, { rule, publisher }: Connection, now: number): Steps | undefined {
  // What it says is told before.
  if (isFailure(message)) return [];
  const listed = sitesOf(message);
  if (listed) return publisher.updateSites(listed.sites, listed.isComplete, now);
  const alerts = alertUpdateOf(message);
  if (alerts?.change === undefined) assertSendable(alerts?.open.length ?? 0);
  if (alerts) return publisher.updateAlerts(alerts, now);
  const site = siteDetailsOf(message);
  if (site) return publisher.updateEquipment(site, now);
  const status = homeAssistantStatus(message, rule.discoveryPrefix);
  if (status === undefined) return undefined;
  return status === "online" ? publisher.birth(now) : [];
}

async function recordOutcome(
  message: NodeMessage,
  { rule, publisher }: Connection,
  now: number,
  published: Published,
): Promise<Outcome> {
  const read = readMessage(message);
  const records: MessageRecord[] = [];
  let [left, count] = [0, 0];
  // Nothing is sent of a message with a record that cannot be read, or with too much.
  await inTurns(recordsIn(read), (record) => {
    // One that begins in the future does not exist yet; one that a node of this package has sent is not judged again.
    if (record.start > now && record.energy["phase"] === undefined) left += 1;
    else records.push(record);
    count += publicationCount(rule, record);
    // What must be confirmed would come again and again; it is no more than an answer of the service holds.
    if (read.delivery === undefined) assertSendable(count);
  });
  if (count === 0) return { batches: [], status: () => recordsStatus(0) };
  const address = addressOf(message);
  if (published.sites.size < MAX_SITES) published.sites.add(shownText(address.siteId, LONGEST_SITE));
  published.records += records.length;
  const status =
    left > 0 ? warningStatus("ahead", { count: left }) : publishedStatus(published, records.at(-1)?.end);
  return { batches: recordBatches(), status: () => status };

  function* recordBatches(): Iterable<Batch> {
    for (const [index, record] of records.entries()) {
      // Only the first record of a message says that the records are being resent.
      const delivery = index === 0 ? read.delivery : undefined;
      const { path: _path, ...energy } = record.energy;
      yield { publications: publisher.publish({ ...record, address, delivery }, now), energy };
    }
  }
}
