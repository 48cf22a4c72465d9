// totals: energy, flows, percentages and money of a period, from each system's records, which are read once.
import type { NodeAPI, NodeMessage } from "node-red";
import { isLarge } from "../../src/models/service-object";
import { isPriceList } from "../../src/totals/prices";
import { isOfMessage } from "../shared/runtime/base/property";
import { dateOf, showStatus, timeOfDay } from "../shared/runtime/base/status";
import { sameSelection } from "../shared/runtime/series/selection";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { serviceNode } from "../shared/runtime/service/service-node";
import { fileStorage } from "../shared/runtime/state/storage";
import { NodePrices, pricesIn, type TotalsSettings } from "./node-prices";
import { readTotals, totalsStatus } from "./read-totals";
import { TOTALS } from "./settings";

export default serviceNode("energy-totals", TOTALS, (RED, node, settings) => {
  const prices = new NodePrices(RED, node, settings.values);
  const shared = { prices, storage: fileStorage(RED, node) };
  const series = new SeriesRuns(RED, node, settings.values);

  /** Prices trigger no run. Throws InputError if they cannot be read. */
  const takesPrices = ({ payload, topic }: NodeMessage): boolean => {
    if (!isPriceList(payload)) return false;
    const steps = prices.add(topic === "export" ? "export" : "import", payload);
    const last = Math.max(...steps.map(({ end }) => end));
    const values = { count: steps.length, until: `${dateOf(last)} ${timeOfDay(last)}` };
    showStatus(RED, node, { key: "totals:prices", values });
    return true;
  };

  return {
    async work(run) {
      const valid = settings.valid();
      const list = await series.list(run);
      const payloads = await series.each(run, list, async (resolve) =>
        readTotals(shared, run, await resolve(), valid, list.addresses.length),
      );
      return totalsStatus(RED, valid, payloads, run.clock.now());
    },
    sameWork: (message) => sameTotals(RED, settings.values, message),
    intercept: takesPrices,
    taken: Object.values(pricesIn(settings.values)).flatMap(({ text, type }) =>
      type === "msg" ? [text] : [],
    ),
  };
});

/** Equal for messages that request the same totals; undefined if that is unknown. */
function sameTotals(RED: NodeAPI, values: TotalsSettings, message: NodeMessage): string | undefined {
  const isByMessage = Object.values(pricesIn(values)).some(({ text, type }) => isOfMessage(text, type));
  const same = isByMessage ? undefined : sameSelection(RED, values, message);
  const payload = values.period === "message" ? message.payload : null;
  return same && !isLarge({ same, payload }) ? JSON.stringify([same, payload]) : undefined;
}
