// points: records and totals as points for an influxdb batch node, as line protocol, as rows, or for a chart.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { plainMessage } from "../../src/messages/incoming";
import {
  chartPoints,
  influxPoints,
  lineProtocol,
  type Measured,
  measuredRecords,
  measuredTotals,
  rows,
} from "../../src/messages/points";
import { addressOf, type FlowMessage, readMessage, recordsOf } from "../../src/messages/reader";
import { isServiceObject } from "../../src/models/service-object";
import type { SettingValues } from "../../src/settings/kinds";
import { POINTS } from "./settings";
import { startLifecycle } from "../shared/runtime/lifecycle/lifecycle";
import { readSettings } from "../shared/runtime/base/settings";

interface Converted {
  payload: unknown;
  /** How many points it has. */
  count: number;
}

type Target = SettingValues<typeof POINTS>["target"];

const convert: Record<
  Target,
  (measured: Measured[], message: FlowMessage, measurement: string) => Converted
> = {
  influxdb: (measured, message, measurement) =>
    counted(influxPoints(measured, addressOf(message), measurement)),
  line: (measured, message, measurement) => {
    const points = influxPoints(measured, addressOf(message), measurement);
    return { payload: lineProtocol(points), count: points.length };
  },
  row: (measured, message) => counted(rows(measured, addressOf(message))),
  chart: (measured) => counted(chartPoints(measured)),
};

function counted(payload: unknown[]): Converted {
  return { payload, count: payload.length };
}

function measuredIn(message: FlowMessage): Measured[] {
  const { energy, payload } = message;
  const isTotals = isServiceObject(energy) && energy["kind"] === "totals" && isServiceObject(payload);
  return isTotals ? measuredTotals(payload) : measuredRecords(recordsOf(readMessage(message)));
}

export default function register(RED: NodeAPI): void {
  function Points(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, POINTS, config);
    startLifecycle(RED, this, {
      kind: "points",
      confirmsNothing: true,
      work: ({ message, send }) => {
        const { target, measurement } = settings.valid();
        const { payload, count } = convert[target](measuredIn(plainMessage(message)), message, measurement);
        // An empty array would clear a chart. A database accepts it, which confirms records without values as well.
        if (count > 0 || target === "influxdb") send({ ...message, payload });
        return { key: "points:points", values: { count } };
      },
    });
  }

  RED.nodes.registerType("energy-points", Points);
}
