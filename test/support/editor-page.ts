// Drives the Node-RED editor as a user would, with mouse and keyboard.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

const CANVAS = "#red-ui-workspace-chart";
const DIALOG = ".red-ui-tray";

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
  await page.mouse.up();
  return page.evaluate<string>("RED.view.selection().nodes[0].id");
}

export async function openDialog(page: Page, id: string): Promise<void> {
  await page.locator(`[id='${id}'] rect.red-ui-flow-node`).dblclick();
  await page.locator(`${DIALOG} #node-dialog-ok`).waitFor();
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
  await page.locator(".red-ui-autoComplete-container:visible").getByText(suggestion).click();
}

/** The error below a field while it is invalid. */
export function errorOf(page: Page, property: string): Locator {
  const row = page.locator(`${DIALOG} .form-row`, { has: page.locator(`[id$='-input-${property}']`) });
  return row.locator(".energy-error:visible");
}

/** Opens the dialog for a new account. */
export async function openAccount(page: Page): Promise<void> {
  await page.evaluate("RED.editor.editConfig('', 'energy-account', '_ADD_')");
  await page.locator(`${DIALOG} #node-config-dialog-ok`).waitFor();
}

export async function cancelDialog(page: Page): Promise<void> {
  await page.locator(`${DIALOG} [id$='-dialog-cancel']`).click();
  await page.locator(DIALOG).waitFor({ state: "detached" });
}

export async function saveDialog(page: Page): Promise<void> {
  await page.locator(`${DIALOG} #node-dialog-ok`).click();
  await page.locator(DIALOG).waitFor({ state: "detached" });
}

/** Clicks Deploy, and waits until Node-RED has accepted the flow. */
export async function deploy(page: Page): Promise<void> {
  const accepted = page.waitForResponse((response) => {
    const request = response.request();
    return request.method() === "POST" && new URL(request.url()).pathname === "/flows";
  });
  await page.locator("#red-ui-header-button-deploy:not(.disabled)").click();
  assert.ok((await accepted).ok(), "Node-RED rejects the flow");
}

/** Waits until the status of a node matches. */
export async function waitForStatus(page: Page, id: string, text: RegExp): Promise<void> {
  await page.locator(`[id='${id}'] .red-ui-flow-node-status-label`, { hasText: text }).waitFor();
}

export async function pressButton(page: Page, id: string): Promise<void> {
  await page.locator(`[id='${id}'] .red-ui-flow-node-button-button`).click();
}
