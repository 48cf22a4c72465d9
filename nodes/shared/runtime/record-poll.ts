// Polls the records of every series of a node. Telemetry poll and rgm read stand on it.
import type { Node, NodeAPI } from "node-red";
import type { IntervalRecord } from "../../../src/models/telemetry";
import type { MessageEnergy, RecordInfo, RecordsInfo } from "../../../src/messages";
import { type RecordSource, type SeriesAddress, seriesId } from "../../../src/records/record-id";
import type { TimeWindow } from "../../../src/records/window";
import { addressesOf, forEachSeries, type SystemDef } from "./address";
import { type LedgerStore, openStore } from "./ledger-store";
import { rangeStart, refuseRange } from "./range";
import type { Run, ServiceNodeDef, Work } from "./runs";
import { SeriesPoll } from "./series-poll";
import { numberSetting } from "./settings";
import { recordsStatus } from "./status";

export interface RecordPollDef extends ServiceNodeDef, SystemDef {
  startFrom?: "now" | "hours";
  startHours?: number | string;
  output?: "record" | "batch";
  maxAge?: number | string;
  gapHours?: number | string;
  store?: string;
}

/** How one kind of records is read and told. */
export interface RecordReader {
  source: RecordSource;
  /** Whether every request needs PC1 behaviour. */
  pc1: boolean;
  /** Whether the newest record also goes to an output of its own. */
  hasNewestOutput: boolean;
  read(run: Run, address: SeriesAddress, window: TimeWindow): Promise<IntervalRecord[]>;
  energy(info: RecordInfo | RecordsInfo): MessageEnergy;
}

export interface PollSettings {
  maxAgeMinutes: number;
  /** Hours before now that a new ledger starts; undefined = from the newest record on. */
  startHours: number | undefined;
  gapHours: number;
  isBatch: boolean;
}

export function recordPoll(RED: NodeAPI, node: Node, config: RecordPollDef, reader: RecordReader): Work {
  const polls = new Map<string, SeriesPoll>();

  function pollOf(run: Run, address: SeriesAddress, store: LedgerStore | undefined): SeriesPoll {
    // A ledger of the simulated service is never taken for one of the real service.
    const account = run.account();
    const accountId = account.isDemo ? `${account.id}:demo` : account.id;
    const key = { nodeId: node.id, accountId, seriesId: seriesId(address, reader.source) };
    const name = `${accountId}/${key.seriesId}`;
    const poll = polls.get(name) ?? new SeriesPoll(address, reader, store, key);
    if (store) polls.set(name, poll);
    return poll;
  }

  return async (run) => {
    const settings = pollSettings(config);
    const store = openStore(RED, node, config.store);
    if (store)
      refuseRange(
        run.message,
        "It goes on from where it was. To read from a time of your own, set its store to none",
      );
    const start = store ? undefined : rangeStart(run.message);
    const addresses = await addressesOf(RED, node, config, run, reader.pc1);
    const outcomes = await forEachSeries(addresses, (address) =>
      pollOf(run, address, store).run(run, settings, start),
    );
    const ends = outcomes.flatMap(({ newestEnd }) => newestEnd ?? []);
    const count = outcomes.reduce((sum, outcome) => sum + outcome.count, 0);
    return recordsStatus(count, ends.length > 0 ? Math.max(...ends) : undefined);
  };
}

function pollSettings(config: RecordPollDef): PollSettings {
  const startHours = { label: "Start (hours before now)", fallback: 24, min: 0 };
  return {
    maxAgeMinutes: numberSetting(config.maxAge, { label: "Fresh for (minutes)", fallback: 15, min: 0 }),
    startHours: config.startFrom === "hours" ? numberSetting(config.startHours, startHours) : undefined,
    gapHours: numberSetting(config.gapHours, { label: "Gaps (hours)", fallback: 72, min: 0 }),
    isBatch: config.output === "batch",
  };
}
