import { crc32, deflateSync } from 'node:zlib';

const GREY = 0x66;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A uniformly grey PNG, as a placeholder for posters. */
export function placeholderImage(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // 8 bits of grey per pixel.
  head.writeUInt8(8, 8);
  // Each row starts with its filter type: none.
  const row = Buffer.alloc(width + 1, GREY).fill(0, 0, 1);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([SIGNATURE, pngChunk('IHDR', head), pngChunk('IDAT', deflateSync(rows)), pngChunk('IEND')]);
}

/** A chunk of a PNG. */
export function pngChunk(type: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(content.length, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}
