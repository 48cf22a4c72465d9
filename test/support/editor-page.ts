// Drives the Node-RED editor as a user would, with mouse and keyboard.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { editorReady } from "../../tools/editor-browser.mjs";
import { eventually } from "./eventually";

const CANVAS = "#red-ui-workspace-chart";
const DIALOG = ".red-ui-tray";
const SUGGESTIONS = ".red-ui-autoComplete-container:visible";
/** The editor slides a dialog in, resizes it, and raises its layer as the last step. */
const IS_AT_REST = `(() => {
  const dialog = document.querySelector("${DIALOG}");
  const layer = document.querySelector("#red-ui-editor-stack");
  return dialog !== null && getComputedStyle(dialog).right === "0px" && layer.style.zIndex === "13";
})()`;
/** A dialog that is closing slides out to the right. */
const IS_OPEN = `document.querySelector("${DIALOG}")?.style.right === "0px"`;
/** How often a button is pressed that does not close its dialog within a second. */
const PRESSES = 5;
const SECOND = 1000;
/** Milliseconds after which the editor looks for a group below a node that is dragged in. */
const GROUP_CHECK = 200;

/**
 * The editor waits for its dialogs to slide, by timers of so many milliseconds, which set each other. With this they are
 * over at once.
 */
const AT_ONCE = `addEventListener("DOMContentLoaded", () => {
  const slides = [0, 100, 150, 200, 250];
  const atOnce = (work) => (...values) => {
    const later = window.setTimeout;
    window.setTimeout = (next, delay = 0) => slides.includes(delay) ? later(atOnce(next)) : later(next, delay);
    try {
      return work(...values);
    } finally {
      window.setTimeout = later;
    }
  };
  // An empty page has no editor.
  const tray = window.RED?.tray;
  if (!tray) return;
  Object.assign(tray, { show: atOnce(tray.show), close: atOnce(tray.close) });
  const sheet = document.createElement("style");
  sheet.textContent = ".red-ui-tray { transition: none !important }";
  document.head.append(sheet);
})`;

/** Pages of the editor that are loaded from now on show dialogs at once. */
export async function standStill(page: Page): Promise<void> {
  await page.addInitScript(AT_ONCE);
}

/** A position on the canvas, in pixels from its visible corner. */
export interface Position {
  x: number;
  y: number;
}

/** Drags a node from the palette; resolves with the id of the new node. */
export async function dragIn(page: Page, type: string, position: Position): Promise<string> {
  const source = page.locator(`.red-ui-palette-node[data-palette-type='${type}']`);
  await source.scrollIntoViewIfNeeded();
  await source.hover();
  await page.mouse.down();
  const canvas = await page.locator(CANVAS).boundingBox();
  assert.ok(canvas, "the canvas is missing");
  await page.mouse.move(canvas.x + position.x - 40, canvas.y + position.y, { steps: 5 });
  await page.mouse.move(canvas.x + position.x, canvas.y + position.y, { steps: 5 });
  // The editor looks only now and then for a group below the node: it must notice that the node has left the last one.
  await page.waitForTimeout(GROUP_CHECK);
  await page.mouse.move(canvas.x + position.x + 1, canvas.y + position.y);
  await page.locator(".red-ui-flow-group-hovered").waitFor({ state: "detached" });
  await page.mouse.up();
  return page.evaluate<string>("RED.view.selection().nodes[0].id");
}

export async function openDialog(page: Page, id: string): Promise<void> {
  await page.locator(`[id='${id}'] rect.red-ui-flow-node`).dblclick();
  await isOpen(page);
}

/** Opens or closes a fold of a dialog. Clicks until it has worked: rows move while the dialog still loads what it shows. */
export async function setFold(page: Page, name: string, isOpened: boolean): Promise<void> {
  const fold = page.locator(`.energy-fold[data-fold='${name}']`);
  const opened = page.locator(`.energy-fold[data-fold='${name}'][open]`);
  const isDone = async (): Promise<boolean> => (await opened.count()) === Number(isOpened);
  await eventually(
    () => `the fold ${name} stays ${isOpened ? "closed" : "open"}`,
    async () => {
      if (!(await isDone())) await fold.locator("summary").click();
      return (await isDone()) || undefined;
    },
  );
}

/** Opens the dialog of a node, wherever it is in the flow. */
export async function openNode(page: Page, id: string): Promise<void> {
  await page.evaluate(`RED.editor.edit(RED.nodes.node("${id}"))`);
  await isOpen(page);
}

/** Resolves once the dialog of a node, or of an account, is open and at rest: the editor resizes one even if it is closed earlier. */
export async function isOpen(page: Page, kind: "node" | "node-config" = "node"): Promise<void> {
  await page.locator(`${DIALOG} #${kind}-dialog-ok`).waitFor();
  await page.waitForFunction(IS_AT_REST);
}

/** Fills in a field; for a typed input, the visible field of the widget. */
export async function fill(page: Page, property: string, value: string): Promise<void> {
  const field = `#node-input-${property}`;
  const typed = page.locator(`${field} + .red-ui-typedInput-container .red-ui-typedInput-input`);
  const isTyped = (await typed.count()) > 0;
  await (isTyped ? typed : page.locator(field)).fill(value);
}

/** Types into a field and selects one of the suggestions. */
export async function pick(page: Page, property: string, typed: string, suggestion: string): Promise<void> {
  await fill(page, property, "");
  await page.keyboard.type(typed);
  await page.locator(SUGGESTIONS).getByText(suggestion).click();
}

/** The error below a field while it is invalid. */
export function errorOf(page: Page, property: string): Locator {
  const row = page.locator(`${DIALOG} .form-row`, { has: page.locator(`[id$='-input-${property}']`) });
  return row.locator(".energy-error:visible");
}

/** Opens the dialog of an account; without an id, that of a new one. */
export async function openAccount(page: Page, id = "_ADD_"): Promise<void> {
  await page.evaluate(`RED.editor.editConfig('', 'energy-account', '${id}')`);
  await isOpen(page, "node-config");
}

export async function cancelDialog(page: Page): Promise<void> {
  await closeDialog(page, page.locator(`${DIALOG} [id$='-dialog-cancel']`));
}

export async function saveDialog(page: Page): Promise<void> {
  await closeDialog(page, page.locator(`${DIALOG} [id$='-dialog-ok']`));
}

/** Discards a dialog that a failed test has left open, and with it all changes that are not deployed. */
export async function discardOpenDialog(page: Page): Promise<void> {
  if ((await page.locator(DIALOG).count()) === 0) return;
  await page.reload();
  await editorReady(page);
}

/** Presses the button again, as a user would, if the dialog has not moved. Rejects if it never closes. */
async function closeDialog(page: Page, button: Locator): Promise<void> {
  await closeSuggestions(page);
  const dialog = page.locator(DIALOG);
  await button.click();
  for (let press = 1; press < PRESSES; press++) {
    const isClosed = dialog.waitFor({ state: "detached", timeout: SECOND }).then(
      () => true,
      () => false,
    );
    if (await isClosed) return;
    // The click fails if the dialog starts to close at this very moment.
    if (await page.evaluate<boolean>(IS_OPEN)) await button.click({ timeout: SECOND }).catch(() => undefined);
  }
  await dialog.waitFor({ state: "detached" });
}

/** Closing a list of suggestions by a click elsewhere gives its field the focus, in the middle of that click. */
async function closeSuggestions(page: Page): Promise<void> {
  const suggestions = page.locator(SUGGESTIONS);
  if ((await suggestions.count()) === 0) return;
  await page.keyboard.press("Escape");
  await suggestions.waitFor({ state: "detached" });
}

/** Clicks Deploy, and waits until Node-RED has accepted the flow. */
export async function deploy(page: Page): Promise<void> {
  const accepted = page.waitForResponse((response) => {
    const request = response.request();
    return request.method() === "POST" && new URL(request.url()).pathname === "/flows";
  });
  await page.locator("#red-ui-header-button-deploy:not(.disabled)").click();
  assert.ok((await accepted).ok(), "Node-RED rejects the flow");
  // The page takes a moment more: only then does it forget the credentials that it has sent.
  await page.waitForFunction("!RED.nodes.dirty()");
}

/** Waits until the status of a node matches. */
export async function waitForStatus(page: Page, id: string, text: RegExp): Promise<void> {
  await page.locator(`[id='${id}'] .red-ui-flow-node-status-label`, { hasText: text }).waitFor();
}

export async function pressButton(page: Page, id: string): Promise<void> {
  await page.locator(`[id='${id}'] .red-ui-flow-node-button-button`).click();
}
