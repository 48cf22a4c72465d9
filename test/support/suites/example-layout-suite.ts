// Tests that the examples look tidy on the canvas: with the labels as wide as the editor draws them, nothing overlaps.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { editorReady, type EditorBrowser } from "../../../tools/editor-browser.mjs";
import { eventually } from "../eventually";
import { exampleNames, readExample } from "../examples";
import type { FlowNode, Runtime } from "../runtime";

/** How far the button of a node stands out from its side, in pixels. */
const BUTTON = 25;
/** Of the canvas in a window of 1,280 pixels, with both side bars open. */
const WIDTH = 777;

interface Box {
  what: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Drawn {
  nodes: (Box & { group: string | undefined })[];
  groups: (Box & { id: string })[];
}

/** Where the nodes and groups of the tab are, with their buttons. */
async function drawn(page: Page, tab: string): Promise<Drawn> {
  return page.evaluate(
    ({ tab, BUTTON }) => {
      interface Node {
        id: string;
        g?: string;
        x: number;
        y: number;
        w: number;
        h: number;
        name?: string;
        _def: { button?: unknown; align?: string };
      }
      const { RED } = globalThis as unknown as {
        RED: {
          workspaces: { show(id: string): void };
          nodes: { filterNodes(filter: object): Node[]; groups(tab: string): Node[] };
        };
      };
      RED.workspaces.show(tab);
      const nodes = RED.nodes
        .filterNodes({ z: tab })
        .map(({ id, g, x, y, w, h, _def: { button, align } }) => ({
          what: document.querySelector(`[id='${id}'] .red-ui-flow-node-label`)?.textContent || id,
          group: g,
          left: x - w / 2 - (button && align !== "right" ? BUTTON : 0),
          right: x + w / 2 + (button && align === "right" ? BUTTON : 0),
          top: y - h / 2,
          bottom: y + h / 2,
        }));
      const groups = RED.nodes.groups(tab).map(({ id, name, x, y, w, h }) => ({
        id,
        what: String(name),
        left: x,
        right: x + w,
        top: y,
        bottom: y + h,
      }));
      return { nodes, groups };
    },
    { tab, BUTTON },
  );
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

function overlaps(boxes: readonly Box[]): string[] {
  return boxes.flatMap((box, index) =>
    boxes
      .slice(index + 1)
      .filter((other) => overlap(box, other))
      .map((other) => `${box.what} | ${other.what}`),
  );
}

/** The editor has the example: nothing overlaps, lies off a small canvas, or in a group of others. */
export async function assertTidy(page: Page, example: string): Promise<void> {
  const tab = readExample(example).find(({ type }) => type === "tab")?.id ?? "";
  let shown: Drawn = { nodes: [], groups: [] };
  await eventually(
    () => `${example} is not drawn`,
    async () => {
      shown = await drawn(page, tab);
      return (shown.nodes.length > 0 && shown.nodes.every(({ left, right }) => right > left)) || undefined;
    },
  );
  const { nodes, groups } = shown;
  assert.deepEqual(overlaps(nodes), []);
  assert.deepEqual(overlaps(groups), []);
  const outside = [...nodes, ...groups].filter(
    ({ left, right, top }) => left < 0 || right > WIDTH || top < 0,
  );
  assert.deepEqual(outside, []);
  const strays = nodes.filter((node) =>
    groups.some((group) => group.id !== node.group && overlap(node, group)),
  );
  assert.deepEqual(strays, []);
}

/** The example without the nodes of packages that are not installed, which the editor draws in its own way. */
async function known(runtime: Runtime, name: string): Promise<FlowNode[]> {
  const sets = await runtime.json<{ types: string[] }[]>("/nodes");
  const types = new Set(["tab", "group", ...sets.flatMap((set) => set.types)]);
  return readExample(name).filter(({ type }) => types.has(type));
}

export function describeExampleLayout(runtime: () => Runtime, editor: () => EditorBrowser): void {
  describe("the examples on the canvas", () => {
    let flow: FlowNode[] = [];

    before(async () => {
      const examples = await Promise.all(exampleNames.map((name) => known(runtime(), name)));
      flow = [...new Map(examples.flat().map((node) => [node.id, node])).values()];
      // Only drawn, so that none runs.
      const tabs = flow.map((node) => (node.type === "tab" ? { ...node, disabled: true } : node));
      await runtime().deploy(tabs);
      // Whatever page the tests before have left.
      await editor().page.goto(runtime().url);
      await editorReady(editor().page);
    });

    for (const name of exampleNames)
      it(`lays out ${name} without an overlap, on a small canvas and within its groups`, () =>
        assertTidy(editor().page, name));
  });
}
