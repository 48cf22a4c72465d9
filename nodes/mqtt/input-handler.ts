// Connects an mqtt readings node to its publisher: messages, the timer, and the devices stored across restarts.
import { sharedClock } from "../../src/clock";
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { homeAssistantStatus } from "../../src/mqtt/home-assistant/discovery";
import { Publisher } from "../../src/mqtt/home-assistant/publisher";
import { readDevice } from "../../src/mqtt/home-assistant/stored-device";
import { StoredDevices } from "../../src/mqtt/home-assistant/stored-devices";
import {
  addressOf,
  alertNewsOf,
  readMessage,
  recordsOf,
  siteDetailsOf,
  sitesOf,
} from "../../src/messages/reader";
import { plainMessage } from "../../src/messages/incoming";
import type { PublishRule } from "../../src/mqtt/publications";
import type { SettingValues } from "../../src/settings/kinds";
import type { Send, Work } from "../shared/runtime/lifecycle/lifecycle";
import { recordsStatus, type StatusText } from "../shared/runtime/base/status";
import { fileGroup } from "../shared/runtime/state/storage";
import type { NodeSettings } from "../shared/runtime/base/settings";
import { DueTimer } from "../shared/runtime/lifecycle/schedule";
import { type Batch, outputMessages } from "./output-messages";
import type { MQTT } from "./settings";

interface Connection {
  rule: PublishRule;
  /** Only Home Assistant needs what is stored. */
  stored: StoredDevices | undefined;
  publisher: Publisher;
}

/** What a message causes to be published, and the status to show. */
interface Outcome {
  batches: Batch[];
  status: StatusText;
}

export class InputHandler {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: NodeSettings<SettingValues<typeof MQTT>>;
  readonly #timer: DueTimer;
  #connection: Connection | undefined;

  /** `onTimer` is called when something is due; it must queue `onTimeout`. */
  constructor(
    RED: NodeAPI,
    node: Node,
    settings: NodeSettings<SettingValues<typeof MQTT>>,
    onTimer: () => void,
  ) {
    this.#timer = new DueTimer(onTimer);
    this.#RED = RED;
    this.#node = node;
    this.#settings = settings;
  }

  /** Loads the known devices. Rejects if they cannot be read or the node is not configured. */
  readonly start = async (): Promise<void> => {
    const { publisher } = await this.#connect();
    this.#timer.set(publisher.nextDue());
  };

  /** Rejects like `start`, and with InputError for a message without records. */
  async handle(incoming: NodeMessage, send: Send): Promise<StatusText> {
    const message = plainMessage(incoming);
    const { rule, stored, publisher } = await this.#connect();
    const { batches, status } = outcomeOf(message, rule, publisher);
    const { delivery, ledger } = readMessage(message);
    const options = { qos: rule.qos, delivery, ledger };
    for (const output of outputMessages(this.#RED, message, batches, options)) send(output);
    this.#timer.set(publisher.nextDue());
    // A storage failure is reported only after the messages have been sent.
    await stored?.save(publisher.devices);
    return status;
  }

  /** Publishes what is due without an incoming message. */
  readonly onTimeout: Work = ({ send }) => {
    if (!this.#connection) return undefined;
    const { rule, publisher } = this.#connection;
    const batch = { publications: publisher.due(sharedClock.now()), energy: {} };
    for (const output of outputMessages(this.#RED, {}, [batch], rule)) send(output);
    this.#timer.set(publisher.nextDue());
    return undefined;
  };

  /** Leaves the devices offline if nobody will publish any more; a node that is restarted goes on within seconds. */
  readonly stop = (isRemoved: boolean): void => {
    this.#timer.close();
    if (!this.#connection || !isRemoved) return;
    const { rule, publisher } = this.#connection;
    const batch = { publications: publisher.farewell(sharedClock.now()), energy: {} };
    for (const output of outputMessages(this.#RED, {}, [batch], rule)) this.#node.send(output);
  };

  readonly close = async (): Promise<void> => {
    await this.#connection?.stored?.flush().catch(() => undefined);
  };

  async #connect(): Promise<Connection> {
    if (this.#connection) return this.#connection;
    const settings = this.#settings.valid();
    const rule: PublishRule = { ...settings, expireAfter: settings.expireAfter * 1000 };
    const now = sharedClock.now();
    const stored = this.#storedDevices(rule);
    const publisher = new Publisher(rule, (await stored?.load()) ?? new Map(), now);
    this.#connection = { rule, stored, publisher };
    return this.#connection;
  }

  #storedDevices({ discovery, prefix, discoveryPrefix }: PublishRule): StoredDevices | undefined {
    if (!discovery) return undefined;
    const key = { prefix, discoveryPrefix };
    return new StoredDevices(fileGroup(this.#RED, this.#node, key, { read: readDevice }));
  }
}

function outcomeOf(message: NodeMessage, rule: PublishRule, publisher: Publisher): Outcome {
  const now = sharedClock.now();
  const listed = sitesOf(message);
  if (listed) return deviceOutcome(publisher.updateSites(listed.sites, listed.isComplete, now), publisher);
  const alerts = alertNewsOf(message);
  if (alerts) return deviceOutcome(publisher.updateAlerts(alerts, now), publisher);
  const site = siteDetailsOf(message);
  if (site) return deviceOutcome(publisher.updateEquipment(site, now), publisher);
  const status = homeAssistantStatus(message, rule.discoveryPrefix);
  if (status !== undefined) return deviceOutcome(status === "online" ? publisher.birth(now) : [], publisher);
  return recordOutcome(message, publisher, now);
}

function deviceOutcome(publications: Batch["publications"], publisher: Publisher): Outcome {
  const count = publisher.deviceCount;
  return { batches: [{ publications, energy: {} }], status: { key: "mqtt:devices", values: { count } } };
}

function recordOutcome(message: NodeMessage, publisher: Publisher, now: number): Outcome {
  const read = readMessage(message);
  if (read.parts.length === 0) return { batches: [], status: recordsStatus(0) };
  // A record that begins in the future does not exist yet.
  const records = recordsOf(read).filter(({ start }) => start <= now);
  const address = addressOf(message);
  const batches = records.map((record, index) => {
    // Only the first record of a message says that the records are being resent.
    const delivery = index === 0 ? read.delivery : undefined;
    const { path: _path, ...energy } = record.energy;
    return { publications: publisher.publish({ ...record, address, delivery }, now), energy };
  });
  return { batches, status: recordsStatus(records.length, records.at(-1)?.end) };
}
