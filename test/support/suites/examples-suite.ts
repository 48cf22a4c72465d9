// Tests that every example runs as imported, and all of them with the account of a user; shared by all Node-RED versions.
import assert from "node:assert/strict";
import { eventually } from "../eventually";
import { exampleNames, ofAccount, paletteNodes, readExample } from "../examples";
import {
  completions,
  CONNECTED,
  mqttNodes,
  observed,
  type Observation,
  observations,
} from "../observed-flow";
import { MODULE } from "../package";
import { type RenamedService, startRenamedService } from "../renamed-service";
import type { FlowNode, Runtime } from "../runtime";

const KINDS: Record<string, string> = {
  "energy-telemetry-poll": "telemetry",
  "energy-rgm-read": "rgm",
  // Passed through unchanged.
  "energy-points": "telemetry",
  "rows-to-csv-points": "totals",
};

function kindOf({ id, type }: FlowNode): string {
  return KINDS[id] ?? KINDS[type] ?? type.replace("energy-", "");
}

/** Buttons and nodes that read a year, which takes minutes. */
const SLOW = ["home-assistant-past-last-year", "home-assistant-past-year"];

/** Subscriptions to what other examples publish, which do not run at the same time. */
const FED_BY_OTHERS = ["fleet-dashboard-jobs", "fleet-dashboard-ledgers"];

/** Milliseconds to wait for all messages: one example reads a month of every site. */
const LONGEST = 200_000;

/** Messages that one example may put into the debug sidebar in a run, and those that a busy one counts meanwhile. */
const FEW = 8;
const BUSY = 60;

/** Whether a node is a debug node that puts messages into the sidebar, or one that only counts them. */
function isDebug({ type, active, tosidebar }: FlowNode, isShown: boolean): boolean {
  return type === "debug" && (active === true && tosidebar === true) === isShown;
}

/** All of them in one flow. */
function allExamples(): FlowNode[] {
  const nodes = exampleNames.flatMap(readExample);
  return [...new Map(nodes.map((node) => [node.id, node])).values()];
}

/** Types built into the editor, which come from no package. */
const ALWAYS_KNOWN = ["tab", "group"];

/** The flow without nodes of other packages, which may not be installed, and without those that may lack their database. */
async function runnable(flow: FlowNode[], runtime: Runtime): Promise<FlowNode[]> {
  const sets = await runtime.json<{ types: string[]; module: string }[]>("/nodes");
  const own = sets.filter(({ module }) => module === "node-red" || module === MODULE);
  const known = new Set([...ALWAYS_KNOWN, ...own.flatMap(({ types }) => types)]);
  return flow.filter(({ type }) => known.has(type) && type !== "http request");
}

/** Deploys a flow and presses its buttons: every node sends a message but the `silent` ones, and none fails. */
async function assertWorks(
  runtime: Runtime,
  flow: FlowNode[],
  silent: readonly string[] = [],
): Promise<void> {
  const nodes = paletteNodes(flow);
  const watched = [...nodes, ...flow.filter(({ type }) => type === "mqtt in")]
    .map(({ id }) => id)
    .filter((id) => ![...SLOW, ...FED_BY_OTHERS, ...silent].includes(id));
  const logged = runtime.output().length;
  await runtime.deploy(observed(await runnable(flow, runtime), watched));

  let seen: Observation[] = [];
  const allSeen = (ids: readonly string[], fits: (one: Observation) => boolean): Promise<true> => {
    const missing = (): string[] => ids.filter((id) => !seen.some((one) => one.id === id && fits(one)));
    return eventually(
      () => `nothing from ${missing().join(", ")}: ${JSON.stringify(seen)}`,
      async () => {
        seen = await observations(runtime);
        return missing().length === 0 || undefined;
      },
      LONGEST,
    );
  };
  // Core mqtt out drops what it gets before it is connected.
  const connecting = mqttNodes(flow).map(({ id }) => id);
  await allSeen(connecting, ({ kind }) => kind === CONNECTED);
  for (const { id } of flow.filter(({ type }) => type === "inject"))
    if (!SLOW.includes(id)) await runtime.inject(id);
  await allSeen(watched, ({ kind }) => kind !== CONNECTED);

  const ids = new Set(flow.map(({ id }) => id));
  const errors = seen.filter(({ id, error }) => ids.has(id) && error !== undefined);
  assert.deepEqual(errors, []);
  for (const node of nodes.filter(({ id }) => watched.includes(id))) {
    const kinds = new Set(seen.flatMap(({ id, kind }) => (id === node.id ? [kind] : [])));
    assert.deepEqual(kinds, new Set([kindOf(node)]), node.id);
  }
  assert.doesNotMatch(runtime.output().slice(logged), /\[error\]/);
}

/** Each by itself, which takes twice as long as all together. */
export function describeEachExample(running: () => Runtime): void {
  describe("each example", () => {
    beforeEach(() => running().clear());

    for (const name of exampleNames) {
      it(`${name}: every node sends a message, and none fails`, async () => {
        await assertWorks(running(), readExample(name));
      });
    }
  });
}

export function describeExamples(running: () => Runtime): void {
  describe("the examples", () => {
    let runtime: Runtime;
    let service: RenamedService;

    before(async () => {
      runtime = running();
      service = await startRenamedService("own-");
    });
    // Each test has an account of its own: with that of another, nodes would go on where they were.
    beforeEach(() => runtime.clear());
    after(() => service.close());

    it("work with another account, once the variables of their tabs name its sites: every node sends a message", async () => {
      await assertWorks(
        runtime,
        ofAccount(allExamples(), "own-account", service, (id) => service.renamed(id)),
      );
    });

    it("01-first-look.json: shows the first site of another account if nothing else is changed", async () => {
      // The first site has no meter to read.
      const flow = ofAccount(readExample("01-first-look.json"), "first-account", service);
      await assertWorks(runtime, flow, ["first-look-meter"]);
    });

    it("all together, as in npm start, put a few messages each into the debug sidebar", async () => {
      const flow = allExamples();
      const tabs = flow.filter(({ type }) => type === "tab");
      const debugNodes = (tab: string, isShown: boolean): string[] =>
        flow.filter((node) => node.z === tab && isDebug(node, isShown)).map(({ id }) => id);
      const observers = tabs.flatMap(({ id }) => [
        ...completions(`shown-${id}`, id, debugNodes(id, true)),
        ...completions(`counted-${id}`, id, debugNodes(id, false)),
      ]);
      await runtime.deploy([...observed(await runnable(flow, runtime), []), ...observers]);

      let seen: Observation[] = [];
      const countOf = (id: string): number => seen.find((one) => one.id === id)?.count ?? 0;
      const isBusy = (id: string): boolean => countOf(`counted-${id}`) >= BUSY;
      await eventually(
        () => `the busy examples have not read all records: ${JSON.stringify(seen)}`,
        async () => {
          seen = await observations(runtime);
          return (isBusy("readings-to-mqtt") && isBusy("confirmed-forwarding")) || undefined;
        },
      );
      const shown = tabs.map(({ id }) => ({ id, count: countOf(`shown-${id}`) }));
      assert.deepEqual(
        shown.filter(({ count }) => count > FEW),
        [],
      );
      assert.ok(countOf("shown-first-look") > 0);
    });
  });
}
