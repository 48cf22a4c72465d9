// Runs the battery automation example on a real runtime: with the simulated service, and a charger that remembers its orders.
import type { EventEmitter } from "node:events";
import type { NodeAPI, NodeMessage } from "node-red";
import type sinon from "sinon";
import account from "../../nodes/account/account";
import latestValue from "../../nodes/latest-value/latest-value";
import threshold from "../../nodes/threshold/threshold";
import { translate } from "./catalogue";
import { readExample } from "./examples";
import type { TestService } from "./service";
import { helper } from "./node-red-helper";

const ACCOUNT = "energy-demo-account";
const VALUE = "battery-automation-value";
const CHARGER = "battery-automation-charger";
/** The status of latest value during a run. */
const READING = "reading";

const core = ["common/20-inject", "common/90-comment", "function/15-change"].map(
  (name) => require(`@node-red/nodes/core/${name}.js`) as (RED: NodeAPI) => void,
);

export interface BatteryAutomation {
  /** What the charger was told since the last call, in order. */
  orders(): unknown[];
  /** Lets time pass until latest value has run the given number of times. */
  runs(more: number): Promise<void>;
  stop(): Promise<void>;
}

/** The account reads from the test service, and a helper node stands for the charger; everything else is as in the example. */
export async function startBatteryAutomation(
  service: TestService,
  clock: sinon.SinonFakeTimers,
  userDir: string,
): Promise<BatteryAutomation> {
  const { baseUrl, clientId, clientSecret } = service;
  const flow = readExample("03-battery-automation.json").map((node) => {
    if (node.id === ACCOUNT) return { ...node, service: "live", baseUrl };
    return node.id === CHARGER ? { ...node, type: "helper" } : node;
  });
  const modules = [account, latestValue, threshold].map((initialize) => (RED: NodeAPI) => {
    initialize(Object.create(RED, { _: { value: translate } }) as NodeAPI);
  });
  helper.settings({ userDir });
  const credentials = { [ACCOUNT]: { clientId, clientSecret } };
  await helper.load([...core, ...modules], flow, credentials);

  const orders: unknown[] = [];
  (helper.getNode(CHARGER) as unknown as EventEmitter).on("input", ({ payload }: NodeMessage) =>
    orders.push(payload),
  );
  let isReading = false;
  const runs = { finished: 0 };
  const value = helper.getNode(VALUE) as unknown as EventEmitter;
  value.on("call:status", ({ args: [{ text }] }: { args: [{ text?: string }] }) => {
    if (isReading && text !== READING) runs.finished += 1;
    isReading = text === READING;
  });
  return {
    orders: () => orders.splice(0),
    async runs(more) {
      const last = runs.finished + more;
      while (runs.finished < last) {
        // Requests take no time of this clock, but the pauses between their retries do.
        await clock.tickAsync(isReading ? 500 : 5000);
        await service.idle();
      }
    },
    stop: () => helper.unload(),
  };
}
