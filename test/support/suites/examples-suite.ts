// Every example runs as it is imported, on the simulated service. The same for every version of Node-RED.
import assert from "node:assert/strict";
import { type Broker, startBroker } from "../broker";
import { eventually } from "../eventually";
import { exampleNames, paletteNodes, readExample } from "../examples";
import { observed, type Sighting, sightings } from "../observed-flow";
import { MODULE } from "../package";
import { type FlowNode, type Runtime, type RuntimeVersion, startRuntime } from "../runtime";

const KINDS: Record<string, string> = {
  "energy-telemetry-poll": "telemetry",
  "energy-rgm-read": "rgm",
  // As it came.
  "energy-points": "telemetry",
};

function kindOf({ type }: FlowNode): string {
  return KINDS[type] ?? type.replace("energy-", "");
}

/** What the editor knows without a runtime: no package brings these. */
const ALWAYS_KNOWN = ["tab", "group"];

/** The flow without the nodes of other packages: not everybody has them, and behind them there may be no database here. */
async function runnable(flow: FlowNode[], runtime: Runtime): Promise<FlowNode[]> {
  const sets = await runtime.json<{ types: string[]; module: string }[]>("/nodes");
  const own = sets.filter(({ module }) => module === "node-red" || module === MODULE);
  const known = new Set([...ALWAYS_KNOWN, ...own.flatMap(({ types }) => types)]);
  return flow.filter(({ type }) => known.has(type));
}

export function describeExamples(version: RuntimeVersion): void {
  describe(`the examples in ${version.name}`, () => {
    let broker: Broker;
    let runtime: Runtime;

    before(async () => {
      broker = await startBroker();
      runtime = await startRuntime(version, broker.env);
    });
    after(async () => {
      await runtime.stop();
      await broker.close();
    });

    for (const name of exampleNames) {
      it(`${name} brings a message of every node, and no error`, async () => {
        const flow = readExample(name);
        const nodes = paletteNodes(flow);
        const watched = [...nodes, ...flow.filter(({ type }) => type === "mqtt in")].map(({ id }) => id);
        const logged = runtime.output().length;
        await runtime.deploy(observed(await runnable(flow, runtime), watched));
        for (const { id } of flow.filter(({ type }) => type === "inject")) await runtime.inject(id);

        let seen: Sighting[] = [];
        const silent = (): string[] =>
          watched.filter((watchedId) => !seen.some(({ id }) => id === watchedId));
        await eventually(
          () => `nothing came from ${silent().join(", ")}: ${JSON.stringify(seen)}`,
          async () => {
            seen = await sightings(runtime);
            return silent().length === 0 || undefined;
          },
        );

        const ids = new Set(flow.map(({ id }) => id));
        const errors = seen.filter(({ id, error }) => ids.has(id) && error !== undefined);
        assert.deepEqual(errors, []);
        for (const node of nodes) {
          const kinds = new Set(seen.flatMap(({ id, kind }) => (id === node.id ? [kind] : [])));
          assert.deepEqual(kinds, new Set([kindOf(node)]), node.id);
        }
        assert.doesNotMatch(runtime.output().slice(logged), /\[error\]/);
      });
    }
  });
}
