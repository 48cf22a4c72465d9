// totals: energy, flows, percentages and money of a period, from each system's records, which are read once.
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { isPriceList } from "../../src/totals/prices";
import { readSettings } from "../shared/runtime/base/settings";
import { showStatus } from "../shared/runtime/base/status";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { startServiceNode } from "../shared/runtime/service/service-node";
import { NodePrices } from "./node-prices";
import { TotalsReader, totalsStatus } from "./read-totals";
import { TOTALS } from "./settings";

export default function register(RED: NodeAPI): void {
  function Totals(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, TOTALS, config);
    const prices = new NodePrices(RED, this);
    const reader = new TotalsReader(RED, this, prices);
    const series = new SeriesRuns(RED, this, settings.values);

    /** Prices trigger no run. Throws InputError if they cannot be read. */
    const takesPrices = ({ payload, topic }: NodeMessage): boolean => {
      if (!isPriceList(payload)) return false;
      const steps = prices.add(topic === "export" ? "export" : "import", payload);
      const until = new Date(Math.max(...steps.map(({ end }) => end))).toISOString().slice(0, 16);
      showStatus(RED, this, { key: "totals:prices", values: { count: steps.length, until } });
      return true;
    };

    startServiceNode(RED, this, {
      settings,
      kind: "totals",
      async work(run) {
        const valid = settings.valid();
        const list = await series.known.list(run);
        const isFleet = list.addresses.length > 1;
        const sent = await series.each(run, list, async (_listed, resolve) =>
          reader.read(run, await resolve(), valid, isFleet),
        );
        return totalsStatus(RED, sent, valid);
      },
      intercept: takesPrices,
      taken: (["import", "export"] as const).flatMap((direction) => {
        const { [`${direction}Price` as const]: name, [`${direction}PriceType` as const]: type } =
          settings.values;
        return type === "msg" ? [name] : [];
      }),
    });
  }

  RED.nodes.registerType("energy-totals", Totals);
}
