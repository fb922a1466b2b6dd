// Draws images/icon.png: lines of a page, some of them scraped off, one written anew.
import { writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";

const SIZE = 256;
const FINE = 3; // each pixel is FINE × FINE samples
const page = { x: 0, y: 0, w: 256, h: 256, r: 56, colour: [38, 34, 64, 1] };
const line = (x, y, w, colour) => ({ x, y, w, h: 20, r: 10, colour });
const faint = [190, 180, 230, 0.22];
const firm = [226, 220, 245, 1];
const fresh = [255, 184, 77, 1];
const shapes = [
  page,
  line(52, 56, 152, firm),
  line(52, 96, 92, faint),
  line(158, 96, 46, faint),
  line(52, 96, 60, fresh),
  line(76, 136, 128, firm),
  line(76, 176, 44, fresh),
  line(132, 176, 72, faint),
];

function inside({ x, y, w, h, r }, px, py) {
  const dx = Math.max(x + r - px, px - (x + w - r), 0);
  const dy = Math.max(y + r - py, py - (y + h - r), 0);
  return dx * dx + dy * dy <= r * r;
}

function sample(px, py) {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (const shape of shapes) {
    if (!inside(shape, px, py)) continue;
    const [r, g, b, a] = shape.colour;
    const out = a + alpha * (1 - a);
    red = (r * a + red * alpha * (1 - a)) / out;
    green = (g * a + green * alpha * (1 - a)) / out;
    blue = (b * a + blue * alpha * (1 - a)) / out;
    alpha = out;
  }
  return [red * alpha, green * alpha, blue * alpha, alpha];
}

const rows = Buffer.alloc(SIZE * (1 + SIZE * 4));
for (let y = 0; y < SIZE; y++) {
  for (let x = 0; x < SIZE; x++) {
    const sum = [0, 0, 0, 0];
    for (let i = 0; i < FINE * FINE; i++) {
      const found = sample(x + ((i % FINE) + 0.5) / FINE, y + (Math.floor(i / FINE) + 0.5) / FINE);
      for (let c = 0; c < 4; c++) sum[c] += found[c];
    }
    const alpha = sum[3] / (FINE * FINE);
    const at = y * (1 + SIZE * 4) + 1 + x * 4;
    for (let c = 0; c < 3; c++) rows[at + c] = alpha > 0 ? Math.round(sum[c] / sum[3]) : 0;
    rows[at + 3] = Math.round(alpha * 255);
  }
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const header = Buffer.alloc(13);
header.writeUInt32BE(SIZE, 0);
header.writeUInt32BE(SIZE, 4);
header.set([8, 6, 0, 0, 0], 8);
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
writeFileSync(
  new URL("../images/icon.png", import.meta.url),
  Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]),
);
