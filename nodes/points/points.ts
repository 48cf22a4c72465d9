// points: records as points for an influxdb batch node or for a chart.
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { ConfigError } from "../../src/errors";
import { type ChartPoint, chartPoints, type InfluxPoint, influxPoints } from "../../src/messages/points";
import { startLifecycle } from "../shared/runtime/lifecycle";
import { resolveText } from "../shared/runtime/settings";
import { addressOf, recordsOf } from "./records";

interface PointsDef extends NodeDef {
  target?: string;
  measurement?: string;
}

export default function register(RED: NodeAPI): void {
  function Points(this: Node, config: PointsDef): void {
    RED.nodes.createNode(this, config);
    const { target = "influxdb" } = config;

    const pointsOf = (message: NodeMessage): InfluxPoint[] | ChartPoint[] => {
      if (target === "chart") return chartPoints(recordsOf(message));
      if (target !== "influxdb")
        throw new ConfigError("settingChoice", {
          label: "target",
          value: target,
          choices: "influxdb, chart",
        });
      const measurement = resolveText(RED, this, config.measurement?.trim() || "energy");
      return influxPoints(recordsOf(message), addressOf(message), measurement);
    };

    startLifecycle(RED, this, {
      kind: "points",
      work: ({ message, send }) => {
        const payload = pointsOf(message);
        // An empty array would clear a chart. A database takes it, so that records without values are confirmed as well.
        if (payload.length > 0 || target === "influxdb") send({ ...message, payload });
        return { key: "points", values: { count: payload.length } };
      },
    });
  }

  RED.nodes.registerType("energy-points", Points);
}
