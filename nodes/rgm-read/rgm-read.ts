// rgm read: records of the revenue-grade meter: the latest one, every new one, or a range.
import type { Node, NodeAPI } from "node-red";
import { Reported } from "../../src/polling/reported";
import { settingValue } from "../../src/settings/read";
import type { StoredSettings } from "../../src/settings/setting";
import { RGM_READ } from "./settings";
import type { RecordPollDef } from "../shared/runtime/records/poll-rule";
import { RecordPoll, replacedBy } from "../shared/runtime/records/record-poll";
import { samePoll } from "../shared/runtime/series/same-work";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { startServiceNode } from "../shared/runtime/service/service-node";
import { readSettings } from "../shared/runtime/base/settings";
import { readLatest, readRange } from "./meter";

type RgmReadDef = RecordPollDef & StoredSettings<typeof RGM_READ>;

export default function register(RED: NodeAPI): void {
  function RgmRead(this: Node, config: RgmReadDef): void {
    RED.nodes.createNode(this, config);
    const poll = new RecordPoll(RED, this, config, {
      source: "rgm",
      hasNewestOutput: false,
    });
    const runs = { series: new SeriesRuns(RED, this, config), reported: new Reported() };
    const mode = settingValue(RGM_READ.mode, config.mode);
    const lifecycle = startServiceNode(RED, this, config, {
      table: RGM_READ,
      kind: "rgm",
      ignored: replacedBy(mode === "new" ? config : {}),
      work: async (run) => {
        const settings = readSettings(RED, this, RGM_READ, config);
        switch (settings.mode) {
          case "new":
            return poll.run(run);
          case "range":
            return readRange(runs, run);
          default:
            return readLatest(runs, run, settings.maxAge);
        }
      },
      sameWork: (message) => samePoll(RED, config, message),
      intercept: (message) => mode === "new" && poll.confirms(message, () => lifecycle.run(poll.resume)),
      // Only a message can specify a range.
      isScheduled: mode !== "range",
      stop: poll.stop,
      close: poll.close,
    });
  }

  RED.nodes.registerType("energy-rgm-read", RgmRead);
}
