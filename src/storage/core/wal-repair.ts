import type { FileHandle } from 'node:fs/promises';

/** Size of the header of a write-ahead log, and of each frame's header, in bytes. @source SQLite file format */
const HEADER = 32;
const FRAME_HEADER = 24;
/** The magic number; its last bit is set if checksums use big-endian words. */
const MAGIC = 0x377f0682;
/** Approximate size of one read or write. */
const PIECE_BYTES = 1_048_576;

/**
 * Rewrites a write-ahead log after a failed sync. The system may have dropped pages that it could not write, and may
 * report success on the next sync, so every frame is read, verified against its checksum and written again in place. No
 * process may append meanwhile.
 * @param frames number of frames of committed transactions
 * @throws if the disk still fails or the log cannot be read completely: the log must not be used then
 * @source decision 433
 */
export async function rewriteWal(log: FileHandle, frames: number): Promise<void> {
  const header = await readExactly(log, 0, HEADER);
  const magic = header.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) throw new Error('the write-ahead log has no header');
  const add = (magic & 1) === 1 ? addBigEndian : addLittleEndian;
  const sum: Checksum = [0, 0];
  add(sum, header.subarray(0, 24));
  insistOn(sum, header, 24);
  await writeAt(log, header, 0);

  const frameBytes = FRAME_HEADER + header.readUInt32BE(8);
  const together = Math.max(1, Math.floor(PIECE_BYTES / frameBytes));
  for (let first = 0; first < frames; first += together) {
    const count = Math.min(together, frames - first);
    const position = HEADER + first * frameBytes;
    const piece = await readExactly(log, position, count * frameBytes);
    for (let at = 0; at < piece.length; at += frameBytes) {
      if (header.compare(piece, at + 8, at + 16, 16, 24) !== 0)
        throw new Error('a frame of the write-ahead log belongs to another log');
      add(sum, piece.subarray(at, at + 8));
      add(sum, piece.subarray(at + FRAME_HEADER, at + frameBytes));
      insistOn(sum, piece, at + 16);
    }
    await writeAt(log, piece, position);
  }
  await log.datasync();
}

type Checksum = [number, number];

function addLittleEndian(sum: Checksum, bytes: Buffer): void {
  let [first, second] = sum;
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + bytes.readUInt32LE(at) + second) >>> 0;
    second = (second + bytes.readUInt32LE(at + 4) + first) >>> 0;
  }
  [sum[0], sum[1]] = [first, second];
}

function addBigEndian(sum: Checksum, bytes: Buffer): void {
  let [first, second] = sum;
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + bytes.readUInt32BE(at) + second) >>> 0;
    second = (second + bytes.readUInt32BE(at + 4) + first) >>> 0;
  }
  [sum[0], sum[1]] = [first, second];
}

function insistOn([first, second]: Checksum, bytes: Buffer, at: number): void {
  if (bytes.readUInt32BE(at) !== first || bytes.readUInt32BE(at + 4) !== second) {
    throw new Error('a frame of the write-ahead log has a wrong checksum');
  }
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new Error('the write-ahead log is truncated');
    done += bytesRead;
  }
  return bytes;
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}
