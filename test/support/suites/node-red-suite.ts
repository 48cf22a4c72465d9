// Tests the installed package in one version of Node-RED: in one process, which takes longer to start than most of the tests.
import { type Broker, startBroker } from "../broker";
import { type Runtime, type RuntimeVersion, startRuntime } from "../runtime";

/** Node-RED's own catalogue of this language is es-ES, ours is es. */
export const LANGUAGE = "es";

/** What `energyAccountHosts` lists. */
export const KNOWN_HOST = "node-red.example";

/** Describes tests of the Node-RED that is running when they run. */
export type Suite = (running: () => Runtime) => void;

export function describeNodeRed(version: RuntimeVersion, ...suites: Suite[]): void {
  describe(version.name, () => {
    let broker: Broker;
    let runtime: Runtime;

    before(async () => {
      broker = await startBroker();
      const settings = { lang: "es-ES", energyAccountHosts: [KNOWN_HOST] };
      runtime = await startRuntime(version, broker.env, undefined, settings);
    });
    after(async () => {
      await runtime.stop();
      await broker.close();
    });

    for (const describeTests of suites) describeTests(() => runtime);
  });
}
