// Stands between the flow and the forwarder: messages in, messages out, the book of devices kept over restarts.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { type DeviceBook, readDeviceBook } from "../../src/home-assistant/device-book";
import { Forwarder } from "../../src/mqtt/forwarder";
import type { PublishRule } from "../../src/mqtt/publication";
import { Alarm } from "../shared/runtime/alarm";
import type { Send } from "../shared/runtime/handling";
import { KeptState } from "../shared/runtime/kept-state";
import { fileStore } from "../shared/runtime/state-store";
import { recordsStatus, type StatusText } from "../shared/runtime/status";
import { deliveryOf, homeAssistantStatus, recordsOf, sitesOf } from "./incoming";
import { outgoing, type Parcel } from "./outgoing";
import { type MqttDef, publishRule } from "./rule";

interface Open {
  rule: PublishRule;
  kept: KeptState<DeviceBook>;
  forwarder: Forwarder;
}

export class Publisher {
  #open: Open | undefined;
  readonly #alarm = new Alarm(() => this.#ring());

  constructor(
    private readonly RED: NodeAPI,
    private readonly node: Node,
    private readonly config: MqttDef,
  ) {}

  /** Reads what was published before. Rejects when that cannot be read, or when the node is not set up. */
  readonly start = async (): Promise<void> => {
    const { forwarder } = await this.#opened();
    this.#alarm.set(forwarder.nextDue());
  };

  async take(message: NodeMessage, send: Send): Promise<StatusText | undefined> {
    const open = await this.#opened();
    const { rule, kept, forwarder } = open;
    const { parcels, status } = parcelsOf(message, open);
    const { qos } = rule;
    for (const made of outgoing(this.RED, message, parcels, { qos, delivery: deliveryOf(message) }))
      send(made);
    this.#alarm.set(forwarder.nextDue());
    // What was sent is sent: that it cannot be noted is told after that.
    await kept.update(forwarder.book);
    kept.throwStoreError();
    return status;
  }

  readonly close = async (): Promise<void> => {
    this.#alarm.set(undefined);
    await this.#open?.kept.settled();
  };

  async #opened(): Promise<Open> {
    if (this.#open) return this.#open;
    const { RED, node, config } = this;
    const rule = publishRule(RED, node, config);
    const { prefix, discoveryPrefix } = rule;
    const key = { nodeId: node.id, prefix, discoveryPrefix };
    const kept = new KeptState(fileStore(RED, node), key, readDeviceBook);
    const forwarder = new Forwarder(rule, (await kept.load()) ?? {}, Date.now());
    this.#open = { rule, kept, forwarder };
    return this.#open;
  }

  #ring(): void {
    if (!this.#open) return;
    const { rule, forwarder } = this.#open;
    const parcel = { publications: forwarder.due(Date.now()), energy: {} };
    for (const made of outgoing(this.RED, {}, [parcel], rule)) this.node.send(made);
    this.#alarm.set(forwarder.nextDue());
  }
}

/** What is to be published because of a message, and what the node is to show. Throws InputError. */
function parcelsOf(
  message: NodeMessage,
  { rule, forwarder }: Open,
): { parcels: Parcel[]; status: StatusText | undefined } {
  const now = Date.now();
  const sites = sitesOf(message);
  const home = sites ? undefined : homeAssistantStatus(message, rule);
  if (sites || home !== undefined) {
    const told = sites ? forwarder.takeSites(sites.sites, sites.isComplete) : [];
    const publications = home === "online" ? forwarder.birth(now) : told;
    const count = Object.keys(forwarder.book).length;
    return { parcels: [{ publications, energy: {} }], status: { key: "devices", values: { count } } };
  }
  const records = recordsOf(message);
  const parcels = records.map(({ arrival, energy }) => ({
    publications: forwarder.take(arrival, now),
    energy,
  }));
  return { parcels, status: recordsStatus(records.length, records.at(-1)?.arrival.end) };
}
