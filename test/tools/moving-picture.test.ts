// Tests the pictures of the README, and what makes a moving one.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { movingPicture } from "../../tools/moving-picture.mjs";
import { ROOT } from "../support/package";

const PICTURE = join(ROOT, "docs", "first-value.png");
const MOST_BYTES = 1_000_000;

/** The chunks of a PNG: their names, and what is in them. */
function chunksOf(png: Buffer): [name: string, data: Buffer][] {
  const chunks: [string, Buffer][] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push([png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]);
    at += length + 12;
  }
  return chunks;
}

/** A row of 20 gray pixels, as PNG stores it without a filter. */
const GRAY = [0, ...Array<number>(60).fill(7)];
const ROWS = Array.from({ length: 10 }, () => GRAY);

/** A screenshot of such rows. */
function screenshot(rows: number[][]): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name, "latin1"), data, Buffer.alloc(4)]);
  };
  const header = Buffer.from([0, 0, 0, 20, 0, 0, 0, rows.length, 8, 2, 0, 0, 0]);
  const pixels = deflateSync(Buffer.from(rows.flat()));
  return Buffer.concat([Buffer.alloc(8), chunk("IHDR", header), chunk("IDAT", pixels)]);
}

describe("a moving picture", () => {
  it("shows each frame for its time, and stores of the next ones only what has changed", () => {
    const black = GRAY.with(16, 0).with(24, 0);
    const frames = [
      { png: screenshot(ROWS), seconds: 1.5 },
      { png: screenshot(ROWS.with(4, black).with(5, black)), seconds: 2 },
    ];
    const chunks = chunksOf(movingPicture(frames));
    assert.deepEqual(
      chunks.map(([name]) => name),
      ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"],
    );
    const [first, second] = chunks.flatMap(([name, data]) => (name === "fcTL" ? [data] : []));
    assert.equal(first?.readUInt16BE(20), 150);
    assert.equal(second?.readUInt16BE(20), 200);
    const area = (frame?: Buffer): number[] => [4, 8, 12, 16].map((at) => frame?.readUInt32BE(at) ?? 0);
    assert.deepEqual(area(first), [20, 10, 0, 0]);
    assert.deepEqual(area(second), [3, 2, 5, 4]);
    const [, stored = Buffer.alloc(0)] = chunks.find(([name]) => name === "fdAT") ?? [];
    // The second row as its difference to the first.
    assert.deepEqual(
      [...inflateSync(stored.subarray(4))],
      [0, ...black.slice(16, 25), 2, ...Array(9).fill(0)],
    );
  });

  it("stores one pixel of a frame that is like the one before, whatever the filters of its rows", () => {
    const zeros = Array<number>(57).fill(0);
    const filtered = [
      [1, 7, 7, 7, ...zeros],
      [2, 0, 0, 0, ...zeros],
      [3, 4, 4, 4, ...zeros],
      [4, 0, 0, 0, ...zeros],
    ];
    const frames = [ROWS, filtered.concat(ROWS.slice(4))].map((rows) => ({
      png: screenshot(rows),
      seconds: 1,
    }));
    const second = chunksOf(movingPicture(frames)).findLast(([name]) => name === "fcTL")?.[1];
    assert.deepEqual([second?.readUInt32BE(4), second?.readUInt32BE(8)], [1, 1]);
  });

  it("is in the README, has several frames and loads quickly", () => {
    assert.ok(readFileSync(join(ROOT, "README.md"), "utf8").includes("(docs/first-value.png)"));
    assert.ok(statSync(PICTURE).size < MOST_BYTES);
    const frames = chunksOf(readFileSync(PICTURE)).filter(([name]) => name === "fcTL");
    assert.ok(frames.length >= 5, String(frames.length));
  });
});
