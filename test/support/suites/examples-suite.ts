// Tests that every example runs as imported, on the simulated service; shared by all Node-RED versions.
import assert from "node:assert/strict";
import { type Broker, startBroker } from "../broker";
import { eventually } from "../eventually";
import { exampleNames, paletteNodes, readExample } from "../examples";
import { observed, type Observation, observations } from "../observed-flow";
import { MODULE } from "../package";
import { type FlowNode, type Runtime, type RuntimeVersion, startRuntime } from "../runtime";

const KINDS: Record<string, string> = {
  "energy-telemetry-poll": "telemetry",
  "energy-rgm-read": "rgm",
  // Passed through unchanged.
  "energy-points": "telemetry",
};

function kindOf({ type }: FlowNode): string {
  return KINDS[type] ?? type.replace("energy-", "");
}

/** Types built into the editor, which come from no package. */
const ALWAYS_KNOWN = ["tab", "group"];

/** The flow without nodes of other packages, which may not be installed or may lack their database. */
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
      it(`${name}: every node sends a message, and none fails`, async () => {
        const flow = readExample(name);
        const nodes = paletteNodes(flow);
        const watched = [...nodes, ...flow.filter(({ type }) => type === "mqtt in")].map(({ id }) => id);
        const logged = runtime.output().length;
        await runtime.deploy(observed(await runnable(flow, runtime), watched));
        for (const { id } of flow.filter(({ type }) => type === "inject")) await runtime.inject(id);

        let seen: Observation[] = [];
        const silent = (): string[] =>
          watched.filter((watchedId) => !seen.some(({ id }) => id === watchedId));
        await eventually(
          () => `no message from ${silent().join(", ")}: ${JSON.stringify(seen)}`,
          async () => {
            seen = await observations(runtime);
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
