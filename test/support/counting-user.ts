// A user with a mouse and a keyboard who counts what a task takes. Reading and scrolling are free.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

interface Point {
  x: number;
  y: number;
}

export class CountingUser {
  readonly #page: Page;
  readonly #start = Date.now();
  #drags = 0;
  #clicks = 0;
  #keys = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  get effort(): { drags: number; clicks: number; keys: number; seconds: number } {
    const seconds = Math.round((Date.now() - this.#start) / 1000);
    return { drags: this.#drags, clicks: this.#clicks, keys: this.#keys, seconds };
  }

  async click(target: Locator): Promise<void> {
    this.#clicks += 1;
    await target.click();
  }

  async doubleClick(target: Locator): Promise<void> {
    this.#clicks += 2;
    await target.dblclick();
  }

  /** One click opens the list, and one takes the option. */
  async choose(select: Locator, option: string): Promise<void> {
    this.#clicks += 2;
    await select.selectOption(option);
  }

  async type(text: string): Promise<void> {
    this.#keys += text.length;
    await this.#page.keyboard.type(text);
  }

  /** @param offset from the middle of the target */
  async drag(source: Locator, target: Locator, offset: Point = { x: 0, y: 0 }): Promise<void> {
    this.#drags += 1;
    await source.scrollIntoViewIfNeeded();
    // Waits until the editor has drawn it in its final place.
    await source.hover();
    await this.#page.mouse.down();
    const to = await middleOf(target);
    await this.#page.mouse.move(to.x + offset.x, to.y + offset.y, { steps: 10 });
    await this.#page.mouse.up();
  }
}

async function middleOf(locator: Locator): Promise<Point> {
  const box = await locator.boundingBox();
  assert.ok(box, `${String(locator)} is not visible`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
