// points: records as points for an influxdb batch node or for a chart.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { chartPoints, influxPoints } from "../../src/messages/points";
import type { StoredSettings } from "../../src/settings/setting";
import { POINTS } from "../../src/settings/table/points";
import { startHandling } from "../shared/runtime/handling";
import { readSettings } from "../shared/runtime/settings";
import { addressOf, recordsOf } from "./records";

type PointsDef = NodeDef & StoredSettings<typeof POINTS>;

export default function register(RED: NodeAPI): void {
  function Points(this: Node, config: PointsDef): void {
    RED.nodes.createNode(this, config);

    startHandling(RED, this, "points", (message, send) => {
      const { target, measurement } = readSettings(RED, this, POINTS, config);
      const payload =
        target === "chart"
          ? chartPoints(recordsOf(message))
          : influxPoints(recordsOf(message), addressOf(message), measurement);
      // An empty array would clear a chart. A database takes it, so that records without values are confirmed as well.
      if (payload.length > 0 || target === "influxdb") send({ ...message, payload });
      return { key: "points", values: { count: payload.length } };
    });
  }

  RED.nodes.registerType("energy-points", Points);
}
