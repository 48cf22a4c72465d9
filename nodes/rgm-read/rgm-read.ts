// rgm read: records of the revenue-grade meter: the latest one, every new one, or a range.
import { RGM_READ } from "./settings";
import { RecordPoll } from "../shared/runtime/records/record-poll";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { serviceNode } from "../shared/runtime/service/service-node";
import { readLatest, readRange } from "./meter";

export default serviceNode("energy-rgm-read", RGM_READ, (RED, node, settings) => {
  const { values } = settings;
  const { mode } = values;
  const poll = new RecordPoll(RED, node, settings, { source: "rgm" });
  const series = new SeriesRuns(RED, node, values, { pc1: true });
  return {
    ...poll.nodeOptions,
    work: async (run) => {
      settings.valid();
      if (mode === "new") return poll.run(run);
      return mode === "range" ? readRange(series, run) : readLatest(series, run);
    },
  };
});
