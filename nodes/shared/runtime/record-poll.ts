// Polls the records of every series of a node. Telemetry poll and rgm read stand on it.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { errorText } from "../../../src/errors";
import { type SeriesAddress, seriesId } from "../../../src/ledger/record-id";
import type { Ledger } from "../../../src/ledger/ledger";
import { readLedger } from "../../../src/ledger/stored-ledger";
import { HOUR, MINUTE } from "../../../src/ledger/window";
import { RECORD_POLL } from "../../../src/settings/table/record-poll";
import { accountKey } from "./account";
import { addressesOf, forEachSeries, type SystemDef } from "./address";
import { ConfirmedDelivery } from "./confirmed-delivery";
import { type Delivery, type OnDelivered, SentDelivery } from "./delivery";
import { openStore, type StateStore } from "./state-store";
import { rangeStart, refuseRange } from "./range";
import type { Run, ServiceNodeDef, Work } from "./runs";
import { KeptState } from "./kept-state";
import type { PollRule, RecordReader } from "./record-reader";
import { SeriesPoll } from "./series-poll";
import { numberSetting } from "./settings";
import { nodeStatus, recordsStatus, type StatusText } from "./status";

export interface RecordPollDef extends ServiceNodeDef, SystemDef {
  startFrom?: "now" | "hours";
  startHours?: number | string;
  output?: "record" | "batch";
  maxAge?: number | string;
  lookBack?: number | string;
  fillGaps?: boolean;
  gapHours?: number | string;
  store?: string;
  delivery?: "sent" | "confirmed";
  confirmTimeout?: number | string;
  maxUnconfirmed?: number | string;
}

/** Minutes: how often records come (service interface 4.4 rule 3). */
const USUAL_REPEAT = 5;

export class RecordPoll {
  readonly #polls = new Map<string, SeriesPoll>();
  readonly #ledgers: KeptState<Ledger>[] = [];
  #confirmed: ConfirmedDelivery[] = [];
  #unknownIds = 0;

  constructor(
    private readonly RED: NodeAPI,
    private readonly node: Node,
    private readonly config: RecordPollDef,
    private readonly reader: RecordReader,
  ) {}

  readonly run: Work = async (run) => {
    const { RED, node, config, reader } = this;
    const rule = pollRule(config);
    const store = openStore(RED, node, config.store);
    if (store) refuseRange(run.message, errorText("adviceStored"));
    const start = store ? undefined : rangeStart(run.message);
    const addresses = await addressesOf(RED, node, config, run, reader.pc1);
    const outcomes = await forEachSeries(addresses, (address) =>
      this.#pollOf(run, address, rule, store).run(run, start),
    );
    const unconfirmed = outcomes.reduce((sum, outcome) => sum + outcome.unconfirmed, 0);
    if (unconfirmed > 0) return heldUpStatus("unconfirmed", unconfirmed);
    const ends = outcomes.flatMap(({ newestEnd }) => newestEnd ?? []);
    const count = outcomes.reduce((sum, outcome) => sum + outcome.count, 0);
    return recordsStatus(count, ends.length > 0 ? Math.max(...ends) : undefined);
  };

  /** Whether the message confirms a delivery: it then triggers nothing else. An id of another node is only shown. */
  readonly takes = ({ energy }: NodeMessage, runAgain: () => void): boolean => {
    if (this.config.delivery !== "confirmed" || typeof energy !== "object" || energy === null) return false;
    const id = "delivery" in energy ? energy.delivery : undefined;
    // Of the messages that mqtt readings makes of a record only the last confirms; the others are told as well.
    if (id === undefined) return "kind" in energy && energy.kind === "mqtt";
    const isOurs = typeof id === "string" && this.#confirmed.some((delivery) => delivery.confirm(id));
    if (!isOurs) {
      this.#unknownIds += 1;
      this.#show("unknownDelivery", this.#unknownIds);
    }
    if (this.#confirmed.some((delivery) => delivery.takeRoom())) runAgain();
    return true;
  };

  readonly close = async (): Promise<void> => {
    for (const delivery of this.#confirmed) delivery.close();
    await Promise.all(this.#ledgers.map((ledger) => ledger.settled()));
  };

  #pollOf(run: Run, address: SeriesAddress, rule: PollRule, store: StateStore | undefined): SeriesPoll {
    const accountId = accountKey(run.account());
    const key = { nodeId: this.node.id, accountId, seriesId: seriesId(address, this.reader.source) };
    const name = `${accountId}/${key.seriesId}`;
    const known = this.#polls.get(name);
    if (known) return known;
    const ledger = new KeptState(store, key, readLedger);
    const poll = new SeriesPoll(address, this.reader, rule, ledger, (onDelivered) =>
      this.#delivery(onDelivered),
    );
    // Without a store each run begins anew.
    if (store) {
      this.#ledgers.push(ledger);
      this.#polls.set(name, poll);
    }
    return poll;
  }

  #delivery(onDelivered: OnDelivered): Delivery {
    if (this.config.delivery !== "confirmed") return new SentDelivery(onDelivered);
    const { confirmTimeout, maxUnconfirmed } = this.config;
    const seconds = numberSetting(RECORD_POLL.confirmTimeout, confirmTimeout);
    const records = numberSetting(RECORD_POLL.maxUnconfirmed, maxUnconfirmed);
    const rule = { confirmTimeoutMs: seconds * 1000, maxUnconfirmed: records };
    const delivery = new ConfirmedDelivery(rule, onDelivered, (count) => this.#show("unconfirmed", count));
    // Without a store there is a new one with every run: those that are done are forgotten.
    const isKept = this.config.store !== "none";
    this.#confirmed = [...this.#confirmed.filter((one) => isKept || one.pending().length > 0), delivery];
    return delivery;
  }

  #show(key: string, count: number): void {
    this.node.status(nodeStatus(this.RED, heldUpStatus(key, count)));
  }
}

function heldUpStatus(key: string, count: number): StatusText {
  return { key, values: { count }, fill: "yellow", shape: "ring" };
}

function pollRule(config: RecordPollDef): PollRule {
  // One that cannot be read is told where the schedule begins.
  const repeat = Number(config.repeat) > 0 ? Number(config.repeat) : USUAL_REPEAT;
  return {
    maxAgeMinutes: numberSetting(RECORD_POLL.maxAge, config.maxAge),
    lookBack: numberSetting(RECORD_POLL.lookBack, config.lookBack) * MINUTE,
    gapHorizon: config.fillGaps === false ? 0 : numberSetting(RECORD_POLL.gapHours, config.gapHours) * HOUR,
    gapPause: repeat * MINUTE,
    startBefore:
      config.startFrom === "hours"
        ? numberSetting(RECORD_POLL.startHours, config.startHours) * HOUR
        : undefined,
    isBatch: config.output === "batch",
  };
}
