// points: records as points for an influxdb batch node or for a chart.
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { ConfigError } from "../../src/errors";
import { type ChartPoint, chartPoints, type InfluxPoint, influxPoints } from "../../src/messages/points";
import { addressOf, readMessage, recordsOf } from "../../src/messages/reader";
import { startLifecycle } from "../shared/runtime/lifecycle";
import { resolveText } from "../shared/runtime/settings";

interface PointsDef extends NodeDef {
  target?: string;
  measurement?: string;
}

export default function register(RED: NodeAPI): void {
  function Points(this: Node, config: PointsDef): void {
    RED.nodes.createNode(this, config);
    const { target = "influxdb" } = config;

    const pointsOf = (message: NodeMessage): InfluxPoint[] | ChartPoint[] => {
      const choices = "influxdb, chart";
      if (target !== "influxdb" && target !== "chart")
        throw new ConfigError("settingChoice", { label: "target", value: target, choices });
      const records = recordsOf(readMessage(message));
      if (target === "chart") return chartPoints(records);
      const measurement = resolveText(RED, this, config.measurement?.trim() || "energy");
      return influxPoints(records, addressOf(message), measurement);
    };

    startLifecycle(RED, this, {
      kind: "points",
      work: ({ message, send }) => {
        const payload = pointsOf(message);
        // An empty array would clear a chart. A database accepts it, so that records without values are confirmed as well.
        if (payload.length > 0 || target === "influxdb") send({ ...message, payload });
        return { key: "points:points", values: { count: payload.length } };
      },
    });
  }

  RED.nodes.registerType("energy-points", Points);
}
