// points: records and totals as points for an influxdb batch node, as line protocol, as rows, or for a chart.
import {
  chartPoints,
  influxPoints,
  lineOf,
  type Measured,
  measuredRecord,
  measuredTotals,
  rowOf,
} from "../../src/messages/points";
import {
  addressIn,
  energyOf,
  type FlowMessage,
  recordsIn,
  totalsIn,
  withoutDelivery,
} from "../../src/messages/reader";
import { assertSendable, inTurns } from "../../src/loop-turns";
import type { SettingValues } from "../../src/settings/table";
import { POINTS } from "./settings";
import { nodeType, startLifecycle } from "../shared/runtime/lifecycle/lifecycle";

type Target = SettingValues<typeof POINTS>["target"];

type Convert = (measured: Measured, message: FlowMessage, measurement: string) => readonly unknown[];

/** The points of a record or a part of totals; as line protocol, its line. */
const convert: Record<Target, Convert> = {
  influxdb: (measured, message, measurement) => influxPoints(measured, addressIn(message), measurement),
  line: (measured, message, measurement) =>
    influxPoints(measured, addressIn(message), measurement).map(lineOf),
  row: (measured, message) => [rowOf(measured, addressIn(message))],
  chart: (measured) => chartPoints(measured),
};

function* measuredIn(message: FlowMessage, faults: Error[]): Iterable<Measured> {
  const totals = totalsIn(message);
  if (totals) yield* measuredTotals(totals);
  else for (const record of recordsIn(message, faults)) yield measuredRecord(record);
}

export default nodeType("energy-points", POINTS, (RED, node, settings) => {
  startLifecycle(RED, node, {
    work: async ({ message, send }) => {
      const { target, measurement } = settings.valid();
      // It would come again and again; it is no more than an answer of the service holds.
      const mustBeConfirmed = energyOf(message)["delivery"] !== undefined;
      const points: unknown[] = [];
      const faults: Error[] = [];
      await inTurns(measuredIn(message, faults), (one) => {
        for (const point of convert[target](one, message, measurement)) points.push(point);
        if (!mustBeConfirmed) assertSendable(points.length);
      });
      const { length: count } = points;
      const payload = target === "line" ? points.join("\n") : points;
      // An empty array would clear a chart. A database accepts it, which confirms records without values as well.
      const confirms = target !== "chart" && mustBeConfirmed;
      const sent = faults.length > 0 ? withoutDelivery(message) : message;
      if (count > 0 || target === "influxdb" || confirms) send({ ...sent, payload });
      for (const fault of faults) throw fault;
      return { key: "points:points", values: { count } };
    },
  });
});
