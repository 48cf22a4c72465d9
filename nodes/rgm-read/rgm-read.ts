// rgm read: records of the revenue-grade meter: the latest one, every new one, or a range.
import { RGM_READ } from "./settings";
import { RecordPoll } from "../shared/runtime/records/record-poll";
import { serviceNode } from "../shared/runtime/service/service-node";
import { isMetered, sendLatest, sendRange } from "./meter";

export default serviceNode("energy-rgm-read", RGM_READ, (RED, node, settings) => {
  const { mode } = settings.values;
  const poll = new RecordPoll(RED, node, settings, { source: "rgm", isMetered });
  const { series } = poll;
  return {
    ...poll.nodeOptions,
    work: async (run) => {
      settings.valid();
      if (mode === "new") return poll.run(run);
      return mode === "range" ? sendRange(series, run) : sendLatest(series, run);
    },
  };
});
