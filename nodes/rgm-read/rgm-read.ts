// rgm read: records of the revenue-grade meter: the latest, every new one, or those of a range.
import type { Node, NodeAPI } from "node-red";
import { SERIES } from "../../src/messages/series";
import { type RecordPollDef, RecordPoll } from "../shared/runtime/record-poll";
import { startRuns, type Work } from "../shared/runtime/runs";
import { readLatest, readRange, readWindow } from "./meter";

interface RgmReadDef extends RecordPollDef {
  mode?: "latest" | "new" | "range";
}

export default function register(RED: NodeAPI): void {
  function RgmRead(this: Node, config: RgmReadDef): void {
    RED.nodes.createNode(this, config);
    const poll = new RecordPoll(RED, this, config, {
      source: "rgm",
      pc1: SERIES.rgm.needsPc1,
      hasNewestOutput: false,
      read: readWindow,
      energy: SERIES.rgm.energy,
    });
    const work: Work = (run) => {
      if (config.mode === "new") return poll.run(run);
      return config.mode === "range" ? readRange(RED, this, config, run) : readLatest(RED, this, config, run);
    };
    // Only a message says which range.
    const schedule = config.mode === "range" ? { repeat: 0, onDeploy: false } : {};
    startRuns(
      RED,
      this,
      { ...config, ...schedule },
      SERIES.rgm.kind,
      work,
      config.mode === "new" ? poll : {},
    );
  }

  RED.nodes.registerType("energy-rgm-read", RgmRead);
}
