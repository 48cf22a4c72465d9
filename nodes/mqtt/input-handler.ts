// Connects an mqtt readings node to its publisher: messages, the timer, and the devices stored across restarts.
import { sharedClock } from "../../src/clock";
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { homeAssistantStatus } from "../../src/mqtt/home-assistant/discovery";
import { Publisher } from "../../src/mqtt/home-assistant/publisher";
import { readDevice, StoredDevices } from "../../src/mqtt/home-assistant/stored-devices";
import { totalsOf } from "../../src/mqtt/home-assistant/totals";
import {
  addressOf,
  alertUpdateOf,
  readMessage,
  recordsOf,
  siteDetailsOf,
  sitesOf,
} from "../../src/messages/reader";
import { plainMessage } from "../../src/messages/incoming";
import { isServiceObject } from "../../src/models/service-object";
import { parseServiceTime } from "../../src/models/time";
import { MAX_TOPIC_BYTES } from "../../src/limits";
import type { Publication, PublishRule } from "../../src/mqtt/publications";
import type { SettingValues } from "../../src/settings/kinds";
import type { Send, Work } from "../shared/runtime/lifecycle/lifecycle";
import { recordsStatus, type StatusText, warningStatus } from "../shared/runtime/base/status";
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

/** What to publish, and what to add to the `msg.energy` of its messages. */
interface Batch {
  publications: Publication[];
  energy?: Record<string, unknown>;
}

export class InputHandler {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: MqttSettings;
  readonly #timer: DueTimer;
  #connection: Connection | undefined;

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

  /** Rejects like `start`, and with InputError for a message without records. */
  async handle(incoming: NodeMessage, send: Send): Promise<StatusText> {
    const message = plainMessage(incoming);
    const connection = await this.#connect();
    const now = sharedClock.now();
    const { batches, status } =
      totalsOutcome(message, connection, now) ??
      deviceOutcome(message, connection, now) ??
      recordOutcome(message, connection, now);
    this.#publish(connection, batches, send, message);
    // A storage failure is reported only after the messages have been sent.
    await connection.stored?.save(connection.publisher.devices);
    return status;
  }

  /** Publishes what is due without an incoming message. */
  readonly onTimeout: Work = ({ send }) => {
    const connection = this.#connection;
    if (connection)
      this.#publish(connection, [{ publications: connection.publisher.due(sharedClock.now()) }], send);
    return undefined;
  };

  /** Leaves the devices offline if nothing will publish them; a node that is restarted continues within seconds. */
  readonly stop = (isRemoved: boolean): void => {
    this.#timer.close();
    const connection = this.#connection;
    if (!connection || !isRemoved) return;
    const publications = connection.publisher.farewell(sharedClock.now());
    this.#publish(connection, [{ publications }], (message) => this.#node.send(message));
  };

  readonly close = async (): Promise<void> => {
    await this.#connection?.stored?.flush().catch(() => undefined);
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
    const publisher = new Publisher(rule, (await stored?.load()) ?? new Map(), now);
    this.#timer.set(publisher.nextDue());
    this.#connection = { rule, stored, publisher };
    return this.#connection;
  }

  /**
   * Sends messages for an mqtt out node. Only the last has `delivery` and `ledger` of the incoming message: once the broker has
   * received it, it has received all of them.
   */
  #publish(
    { rule, publisher }: Connection,
    batches: Batch[],
    send: (message: NodeMessage) => void,
    incoming: NodeMessage = {},
  ): void {
    const make = messageMaker(this.#RED, incoming, OBEYED);
    const messages = batches.flatMap(({ publications, energy = {} }) =>
      publications.filter(isPossible).map(({ topic, payload, retain }) => {
        const own = { ...this.#RED.util.cloneMessage(energy), kind: "mqtt" as const };
        return Object.assign(make({ payload, energy: own }), { topic, qos: rule.qos, retain });
      }),
    );
    const given = isServiceObject(incoming["energy"]) ? incoming["energy"] : {};
    const confirming = ["delivery", "ledger"].filter((name) => given[name] !== undefined);
    for (const name of confirming) Object.assign(messages.at(-1)?.["energy"] ?? {}, { [name]: given[name] });
    for (const message of messages) send(message);
    this.#timer.set(publisher.nextDue());
  }
}

/** A longer topic, from a long prefix, would break the connection to the broker. */
function isPossible({ topic }: Publication): boolean {
  return Buffer.byteLength(topic) <= MAX_TOPIC_BYTES;
}

/** What a message causes to be published, and the status to show. */
interface Outcome {
  batches: Batch[];
  status: StatusText;
}

/** Of a message about devices; undefined for one with records. */
function deviceOutcome(message: NodeMessage, connection: Connection, now: number): Outcome | undefined {
  const publications = devicePublications(message, connection, now);
  const { deviceCount: count } = connection.publisher;
  return publications && { batches: [{ publications }], status: { key: "mqtt:devices", values: { count } } };
}

function devicePublications(
  message: NodeMessage,
  { rule, publisher }: Connection,
  now: number,
): Publication[] | undefined {
  const listed = sitesOf(message);
  if (listed) return publisher.updateSites(listed.sites, listed.isComplete, now);
  const alerts = alertUpdateOf(message);
  if (alerts) return publisher.updateAlerts(alerts, now);
  const site = siteDetailsOf(message);
  if (site) return publisher.updateEquipment(site, now);
  const status = homeAssistantStatus(message, rule.discoveryPrefix);
  if (status === undefined) return undefined;
  return status === "online" ? publisher.birth(now) : [];
}

/** Of a message from totals; undefined for others. */
function totalsOutcome(message: NodeMessage, { publisher }: Connection, now: number): Outcome | undefined {
  const totals = totalsOf(message, () => addressOf(message));
  if (!totals) return undefined;
  const energy = { ...(isServiceObject(message["energy"]) && message["energy"]) };
  const until = parseServiceTime(totals.payload["until"]);
  return {
    batches: [{ publications: publisher.updateTotals(totals, now), energy }],
    status: recordsStatus(1, until),
  };
}

function recordOutcome(message: NodeMessage, { publisher }: Connection, now: number): Outcome {
  const read = readMessage(message);
  if (read.parts.length === 0) return { batches: [], status: recordsStatus(0) };
  const all = recordsOf(read);
  // A record that begins in the future does not exist yet; one that a node of this package has sent is not judged again.
  const records = all.filter(({ start, energy }) => start <= now || energy["phase"] !== undefined);
  const left = all.length - records.length;
  const address = addressOf(message);
  const batches = records.map((record, index) => {
    // Only the first record of a message says that the records are being resent.
    const delivery = index === 0 ? read.delivery : undefined;
    const { path: _path, ...energy } = record.energy;
    return { publications: publisher.publish({ ...record, address, delivery }, now), energy };
  });
  const status =
    left > 0
      ? warningStatus("mqtt:ahead", { count: left })
      : recordsStatus(records.length, records.at(-1)?.end);
  return { batches, status };
}
