// points: records as points for an influxdb batch node or for a chart.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { plainMessage } from "../../src/messages/incoming";
import { chartPoints, influxPoints } from "../../src/messages/points";
import { addressOf, readMessage, recordsOf } from "../../src/messages/reader";
import { POINTS } from "./settings";
import { startLifecycle } from "../shared/runtime/lifecycle/lifecycle";
import { readSettings } from "../shared/runtime/base/settings";

export default function register(RED: NodeAPI): void {
  function Points(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, POINTS, config);
    startLifecycle(RED, this, {
      kind: "points",
      confirmsNothing: true,
      work: ({ message, send }) => {
        const { target, measurement } = settings.valid();
        const records = recordsOf(readMessage(plainMessage(message)));
        const payload =
          target === "chart" ? chartPoints(records) : influxPoints(records, addressOf(message), measurement);
        // An empty array would clear a chart. A database accepts it, which confirms records without values as well.
        if (payload.length > 0 || target === "influxdb") send({ ...message, payload });
        return { key: "points:points", values: { count: payload.length } };
      },
    });
  }

  RED.nodes.registerType("energy-points", Points);
}
