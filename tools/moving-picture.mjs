// Joins screenshots of one size to a moving picture (APNG, as browsers and GitHub show it), with nothing but zlib: of each
// frame only the part that has changed is stored.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const CHANNELS = { 2: 3, 6: 4 };
const BEST = 9;
/** Of a filtered row: the difference to the row above. */
const UP = 2;

/**
 * @param frames `{png, seconds}`: screenshots with 8 bits a channel, and how long each is shown
 * @returns {Buffer} that plays in a loop
 */
export function movingPicture(frames) {
  const pictures = frames.map(({ png }) => decode(png));
  const [{ width, height }] = pictures;
  const chunks = [header(width, height), chunk("acTL", integers(frames.length, 0))];
  let sequence = 0;
  pictures.forEach((picture, index) => {
    const area = index === 0 ? { x: 0, y: 0, width, height } : changedArea(pictures[index - 1], picture);
    const delay = Buffer.alloc(6);
    delay.writeUInt16BE(Math.round(frames[index].seconds * 100), 0);
    delay.writeUInt16BE(100, 2);
    chunks.push(
      chunk("fcTL", integers(sequence++, area.width, area.height, area.x, area.y), delay),
      index === 0
        ? chunk("IDAT", encode(picture, area))
        : chunk("fdAT", integers(sequence++), encode(picture, area)),
    );
  });
  return Buffer.concat([SIGNATURE, ...chunks, chunk("IEND")]);
}

function header(width, height) {
  // 8 bits a channel, true color, no interlacing.
  return chunk("IHDR", integers(width, height), Buffer.from([8, 2, 0, 0, 0]));
}

function integers(...values) {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
}

function chunk(type, ...parts) {
  const data = Buffer.concat([Buffer.from(type, "latin1"), ...parts]);
  return Buffer.concat([integers(data.length - type.length), data, integers(crc32(data))]);
}

/** The pixels of a PNG as red, green and blue, row by row. */
function decode(png) {
  let [width, height, channels] = [0, 0, 0];
  const parts = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      channels = CHANNELS[data[9]];
    }
    if (type === "IDAT") parts.push(data);
    at += length + 12;
  }
  return {
    width,
    height,
    pixels: opaque(unfiltered(inflateSync(Buffer.concat(parts)), width, height, channels), channels),
  };
}

function unfiltered(raw, width, height, channels) {
  const stride = width * channels;
  const rows = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)];
    for (let at = 0; at < stride; at++) {
      const index = row * stride + at;
      const left = at < channels ? 0 : rows[index - channels];
      const above = row === 0 ? 0 : rows[index - stride];
      const corner = at < channels || row === 0 ? 0 : rows[index - stride - channels];
      rows[index] = raw[row * (stride + 1) + 1 + at] + predicted(filter, left, above, corner);
    }
  }
  return rows;
}

/** What the filters of PNG expect a byte to be, by its neighbours. */
function predicted(filter, left, above, corner) {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter === 0) return 0;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((one) =>
    Math.abs(left + above - corner - one),
  );
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function opaque(rows, channels) {
  if (channels === 3) return rows;
  const pixels = Buffer.alloc((rows.length / 4) * 3);
  for (let at = 0; at < rows.length / 4; at++) rows.copy(pixels, at * 3, at * 4, at * 4 + 3);
  return pixels;
}

/** The smallest rectangle with all that differs. */
function changedArea(before, { width, height, pixels }) {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const at = (row * width + column) * 3;
      if (before.pixels.compare(pixels, at, at + 3, at, at + 3) === 0) continue;
      [left, top] = [Math.min(left, column), Math.min(top, row)];
      [right, bottom] = [Math.max(right, column), Math.max(bottom, row)];
    }
  // A frame has at least one pixel.
  if (right < left) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

function encode({ width, pixels }, area) {
  const stride = area.width * 3;
  const raw = Buffer.alloc((stride + 1) * area.height);
  for (let row = 0; row < area.height; row++) {
    const from = ((area.y + row) * width + area.x) * 3;
    const to = row * (stride + 1);
    raw[to] = row === 0 ? 0 : UP;
    for (let at = 0; at < stride; at++)
      raw[to + 1 + at] = pixels[from + at] - (row === 0 ? 0 : pixels[from + at - width * 3]);
  }
  return deflateSync(raw, { level: BEST });
}
