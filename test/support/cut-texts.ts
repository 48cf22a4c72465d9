// Finds texts in a page that do not fit their place.
import type { Page } from "playwright-core";

/** Texts that are cut off or wider than their dialog, labels of several lines, and hints of more than two. */
export function cutTexts(page: Page, selector: string): Promise<string[]> {
  return page.evaluate<string[]>(`(${FIND})(${JSON.stringify(selector)})`);
}

/** Runs in the page. */
const FIND = `(selector) => {
  const faults = [];
  const pen = document.createElement("canvas").getContext("2d");
  const visible = (pattern) =>
    [...document.querySelectorAll(selector + " " + pattern)].filter((element) => element.getClientRects().length > 0);
  for (const dialog of document.querySelectorAll(selector)) {
    const body = dialog.closest(".red-ui-tray-body");
    if (body.scrollWidth > body.clientWidth) faults.push("the dialog needs " + body.scrollWidth + " px");
  }
  for (const field of visible(":is(select, input[type=text], input[type=password])")) {
    const style = getComputedStyle(field);
    pen.font = style.font;
    const text = field.matches("select") ? field.selectedOptions[0].text : field.value || field.placeholder;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (pen.measureText(text).width > room + 1) faults.push("cut off: " + text);
  }
  for (const label of visible(":is(.form-row > label:first-child, .energy-number ~ .energy-hint)")) {
    const lines = label.getBoundingClientRect().height / parseFloat(getComputedStyle(label).lineHeight);
    if (lines > (label.matches(".energy-hint") ? 2.5 : 1.5)) faults.push("in several lines: " + label.textContent);
    if (label.scrollWidth > label.clientWidth + 1) faults.push("cut off: " + label.textContent);
  }
  return faults;
}`;
