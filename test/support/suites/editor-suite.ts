// Tests what a user does in a browser: find the nodes, add one to the flow, configure it, deploy, see readings.
import assert from "node:assert/strict";
import { editorReady, openEditor, type EditorBrowser } from "../../../tools/editor-browser.mjs";
import {
  deploy,
  dragIn,
  fill,
  openDialog,
  pick,
  pressButton,
  saveDialog,
  standStill,
  waitForStatus,
} from "../editor-page";
import { paletteNodes, readExample } from "../examples";
import { setNames } from "../package";
import { PICTURE_FLOW } from "../picture-flow";
import { chromium, needed } from "../requirements";
import { type FlowNode, NODE_RED_5, type Runtime, type RuntimeVersion, startRuntime } from "../runtime";
import { describeAccount } from "./account-suite";
import { CANVAS_FLOW, describeCanvas } from "./canvas-suite";
import { describeDiagnostics } from "./diagnostics-suite";
import { describePictures } from "./dialog-pictures-suite";
import { describeDialogs } from "./dialog-suite";
import { describeEveryNode } from "./every-node-suite";
import { describeExampleLayout } from "./example-layout-suite";
import { describeFirstValue } from "./first-value-suite";
import { describeGuidance } from "./guidance-suite";
import { describeHelp } from "./help-suite";
import { describePickers } from "./pickers-suite";
import { describeUnknownValues, UNKNOWN_FLOW } from "./unknown-values-suite";

const EXAMPLE = readExample("01-first-look.json");
const PALETTE = "#red-ui-palette-container-energy_sites .red-ui-palette-node";
/** Right of the groups of the example: a node dropped on one would join it. */
const FREE_PLACE = { x: 760, y: 620 };
/** The status of a node that has read something contains a number or a time. */
const HAS_READ = /\d/;

/** The palette label of a node, which mostly matches its folder name. */
function shortName(set: string): string {
  return set === "mqtt" ? "mqtt readings" : set.replaceAll("-", " ");
}

/** A version of Node-RED, and a browser that shows its editor, for the tests of one file. */
interface OpenEditor {
  runtime: () => Runtime;
  editor: () => EditorBrowser;
  /** The page shows the new flow. */
  useFlow: (flow: FlowNode[]) => Promise<void>;
}

function inEditor(version: RuntimeVersion, tests: (open: OpenEditor) => void): void {
  describe(`the editor of ${version.name}`, () => {
    let runtime: Runtime;
    let editor: EditorBrowser;

    before(async function () {
      const browser = needed(chromium, this);
      runtime = await startRuntime(version);
      editor = await openEditor(runtime.url, browser);
    });
    after(async () => {
      await editor?.close();
      await runtime?.stop();
    });
    afterEach(() => {
      assert.deepEqual(editor.errors, [], "the browser's console");
    });

    tests({
      runtime: () => runtime,
      editor: () => editor,
      useFlow: async (flow) => {
        await runtime.deploy(flow);
        await editor.page.goto(runtime.url);
        await editorReady(editor.page);
      },
    });
  });
}

/** The dialogs as people see them. */
function describeLooks(version: RuntimeVersion, { editor, useFlow }: OpenEditor, isOnce?: boolean): void {
  describe("in pictures", () => {
    before(async () => {
      await standStill(editor().page);
      await useFlow(PICTURE_FLOW);
    });

    describePictures(editor, version.name, isOnce);
  });
}

/** A file of its own for the newest editor, whose pictures take as long as all its other tests. */
export function describeEditorPictures(version: RuntimeVersion): void {
  inEditor(version, (open) => describeLooks(version, open));
}

/** What depends on the editor of a version is tested in each; the rest, in the newest alone. */
export function describeEditor(version: RuntimeVersion): void {
  const isNewest = version === NODE_RED_5;

  inEditor(version, (open) => {
    const { runtime, editor, useFlow } = open;
    describeFirstValue(editor, useFlow, isNewest);
    if (isNewest) describeEveryNode(editor);

    describe("with the example flow", () => {
      before(() => useFlow([...EXAMPLE, ...CANVAS_FLOW]));

      it("lists the nodes under energy sites, each with its short name", async () => {
        const labels = await editor().page.locator(`${PALETTE} .red-ui-palette-label`).allTextContents();
        const shown = labels.map((label) => label.replaceAll(/\s+/g, " "));
        const names = setNames.filter((name) => name !== "account").map(shortName);
        assert.deepEqual(shown.toSorted(), names.toSorted());
      });

      it("shows a reading in the status of every node of the demo flow", async () => {
        for (const { id } of paletteNodes(EXAMPLE)) await waitForStatus(editor().page, id, HAS_READ);
      });

      it("shows a reading in the debug sidebar when a button is clicked", async () => {
        await editor().page.evaluate("RED.sidebar.show('debug')");
        await pressButton(editor().page, "first-look-list-now");
        const message = editor().page.locator(".red-ui-debug-msg", { hasText: "battery charge" });
        await message.locator(".red-ui-debug-msg-type-number", { hasText: HAS_READ }).first().waitFor();
      });

      it("configures a node that is dragged into the flow, and runs it once deployed", async () => {
        const { page } = editor();
        const id = await dragIn(page, "energy-latest-value", FREE_PLACE);
        await openDialog(page, id);
        await fill(page, "name", "battery of the farm");
        assert.equal(await page.locator("#node-input-account").inputValue(), "energy-demo-account");
        await fill(page, "siteId", "demo-farm");
        await pick(page, "path", "charge", "Battery charge (%)");
        await page.locator("#node-input-onDeploy").check();
        await saveDialog(page);
        await deploy(page);

        const flow = await runtime().json<FlowNode[]>("/flows");
        const saved = flow.find((node) => node.id === id);
        assert.ok(saved);
        const { x: _x, y: _y, z: _z, wires: _wires, ...properties } = saved;
        assert.deepEqual(properties, {
          id,
          type: "energy-latest-value",
          name: "battery of the farm",
          account: "energy-demo-account",
          siteId: "demo-farm",
          siteIdType: "str",
          systemId: "",
          systemIdType: "str",
          path: "storage.stateOfCharge",
          maxAge: "",
          includeInverter: false,
          repeat: 5,
          onDeploy: true,
        });
        await waitForStatus(page, id, HAS_READ);
      });

      describeGuidance(editor);
      if (!isNewest) return;
      describeCanvas(editor);
      describePickers(editor);
      // Leaves the demo account without its service.
      describeDialogs(editor);
      describeHelp(editor);
      describeDiagnostics(editor);
      describeAccount(editor);
    });

    // The widths of texts are those of the fonts, whatever the version.
    if (!isNewest) return describeLooks(version, open, true);
    describeExampleLayout(runtime, editor);

    describe("with a flow of a later version", () => {
      before(() => useFlow(UNKNOWN_FLOW));

      describeUnknownValues(editor);
    });
  });
}
