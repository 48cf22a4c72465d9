// Tests the pictures of the README, and what makes a moving one.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
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

describe("a moving picture", () => {
  it("shows each frame for its time, and stores of the next ones only what has changed", () => {
    const png = readFileSync(PICTURE);
    const chunks = chunksOf(
      movingPicture([
        { png, seconds: 1.5 },
        { png, seconds: 2 },
      ]),
    );
    assert.deepEqual(
      chunks.map(([name]) => name),
      ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"],
    );
    const [, first, second] = chunks.flatMap(([name, data]) => (name.endsWith("cTL") ? [data] : []));
    const size = (frame: Buffer | undefined): number[] => [4, 8].map((at) => frame?.readUInt32BE(at) ?? 0);
    assert.equal(first?.readUInt16BE(20), 150);
    assert.equal(second?.readUInt16BE(20), 200);
    assert.deepEqual(size(first), [1010, 600]);
    assert.deepEqual(size(second), [1, 1]);
  });

  it("is in the README, has several frames and loads quickly", () => {
    assert.ok(readFileSync(join(ROOT, "README.md"), "utf8").includes("(docs/first-value.png)"));
    assert.ok(statSync(PICTURE).size < MOST_BYTES);
    const frames = chunksOf(readFileSync(PICTURE)).filter(([name]) => name === "fcTL");
    assert.ok(frames.length >= 5, String(frames.length));
  });
});
