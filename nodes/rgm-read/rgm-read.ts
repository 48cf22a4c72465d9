// rgm read: records of the revenue-grade meter: the latest one, every new one, or a range.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { Reported } from "../../src/bounded-map";
import { RGM_READ } from "./settings";
import { pollInput, RecordPoll } from "../shared/runtime/records/record-poll";
import { readerOf } from "../shared/runtime/records/record-ports";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { startServiceNode } from "../shared/runtime/service/service-node";
import { readSettings } from "../shared/runtime/base/settings";
import { readLatest, readRange } from "./meter";

export default function register(RED: NodeAPI): void {
  function RgmRead(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, RGM_READ, config);
    const { values } = settings;
    const { mode } = values;
    const poll = new RecordPoll(RED, this, settings, { source: "rgm" });
    const options = { source: "rgm", reported: new Reported(), reader: readerOf(this, values) } as const;
    const runs = { series: new SeriesRuns(RED, this, values), options };
    const lifecycle = startServiceNode(RED, this, {
      settings,
      kind: "rgm",
      ...pollInput(RED, values),
      work: async (run) => {
        settings.valid();
        switch (mode) {
          case "new":
            return poll.run(run);
          case "range":
            return readRange(runs, run);
          default:
            return readLatest(runs, run);
        }
      },
      intercept: (message) => mode === "new" && poll.confirms(message, () => lifecycle.run(poll.resume)),
      stop: poll.stop,
      close: poll.close,
    });
  }

  RED.nodes.registerType("energy-rgm-read", RgmRead);
}
