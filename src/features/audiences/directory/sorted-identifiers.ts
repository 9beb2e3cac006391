import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_BYTES, IDENTIFIER_BYTES } from './identifier-file.ts';

/** Number of entries sorted in memory: 40 MB, twice that during the sort. */
const RUN_ENTRIES = 2_000_000;
const BLOCK_ENTRIES = 16_384;

/** Creates an external merge sort of identifier entries, in memory up to `runEntries`, with run files in an existing folder beyond. */
export function identifierSorter(folder: string, runEntries = RUN_ENTRIES) {
  let run = new Uint8Array(Math.min(runEntries, BLOCK_ENTRIES) * ENTRY_BYTES);
  let inRun = 0;
  let count = 0;
  const files: string[] = [];
  const spill = (): void => {
    const path = join(folder, `run-${files.length}`);
    const file = openSync(path, 'w', 0o600);
    writeSorted(run, inRun, (block) => void writeSync(file, block));
    closeSync(file);
    files.push(path);
    inRun = 0;
  };
  return {
    /** Adds the concatenated identifiers of a person. Numbers must ascend. */
    add(identifiers: Uint8Array, number: number): void {
      for (let at = 0; at < identifiers.length; at += IDENTIFIER_BYTES) {
        if (inRun === runEntries) spill();
        if ((inRun + 1) * ENTRY_BYTES > run.length) {
          const wider = new Uint8Array(Math.min(run.length * 2, runEntries * ENTRY_BYTES));
          wider.set(run);
          run = wider;
        }
        const to = inRun * ENTRY_BYTES;
        run.set(identifiers.subarray(at, at + IDENTIFIER_BYTES), to);
        writeNumber(run, to + IDENTIFIER_BYTES, number);
        inRun += 1;
        count += 1;
      }
    },
    /** Returns the number of added entries. */
    count: () => count,
    /** Writes all entries in order, in blocks that are valid until the next one. Must be called once, at the end. */
    drain(write: (block: Uint8Array) => void) {
      if (files.length === 0) return writeSorted(run, inRun, write);
      if (inRun > 0) spill();
      run = new Uint8Array();
      merge(files, write);
    },
  };
}

function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value & 255;
  bytes[at + 1] = (value >>> 8) & 255;
  bytes[at + 2] = (value >>> 16) & 255;
  bytes[at + 3] = value >>> 24;
}

/** Writes entries sorted by identifier; a stable sort keeps the order of numbers. */
function writeSorted(entries: Uint8Array, count: number, write: (block: Uint8Array) => void): void {
  const order = sortedIndices(entries, count);
  const block = new Uint8Array(Math.min(count, BLOCK_ENTRIES) * ENTRY_BYTES);
  let filled = 0;
  for (const entry of order) {
    const from = entry * ENTRY_BYTES;
    block.set(entries.subarray(from, from + ENTRY_BYTES), filled);
    filled += ENTRY_BYTES;
    if (filled === block.length) {
      write(block);
      filled = 0;
    }
  }
  if (filled > 0) write(block.subarray(0, filled));
}

/** Returns indices in sorted order: radix sort by the first four bytes, then insertion sort by the rest. */
function sortedIndices(entries: Uint8Array, count: number): Uint32Array {
  const heads = new Uint32Array(count);
  for (let index = 0; index < count; index++) heads[index] = prefixOf(entries, index * ENTRY_BYTES);
  const first = new Uint32Array(count).map((_, index) => index);
  const order = countingPass(countingPass(first, heads, 0), heads, 16);
  for (let at = 1; at < count; at++) {
    const entry = order[at]!;
    let to = at;
    while (to > 0 && heads[order[to - 1]!] === heads[entry] && compare(entries, order[to - 1]!, entries, entry) > 0) {
      order[to] = order[to - 1]!;
      to -= 1;
    }
    order[to] = entry;
  }
  return order;
}

/** Returns the first four bytes of an identifier as a big-endian number. */
function prefixOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function countingPass(order: Uint32Array, heads: Uint32Array, shift: 0 | 16): Uint32Array {
  const starts = new Uint32Array(65_537);
  for (const entry of order) starts[((heads[entry]! >>> shift) & 0xffff) + 1]! += 1;
  for (let digit = 1; digit < starts.length; digit++) starts[digit]! += starts[digit - 1]!;
  const sorted = new Uint32Array(order.length);
  for (const entry of order) sorted[starts[(heads[entry]! >>> shift) & 0xffff]!++] = entry;
  return sorted;
}

function compare(a: Uint8Array, entryA: number, b: Uint8Array, entryB: number): number {
  const [fromA, fromB] = [entryA * ENTRY_BYTES, entryB * ENTRY_BYTES];
  for (let at = 0; at < IDENTIFIER_BYTES; at++) {
    const difference = a[fromA + at]! - b[fromB + at]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

interface Run {
  /** The buffered entries; `at` is the index of the next one. */
  readonly block: Uint8Array;
  filled: number;
  at: number;
  readonly file: number;
}

/** Merges sorted runs; of equal entries, those of the earlier run come first. */
function merge(files: readonly string[], write: (block: Uint8Array) => void): void {
  const runs = files.map((path): Run => {
    const block = new Uint8Array(BLOCK_ENTRIES * ENTRY_BYTES);
    return { block, filled: 0, at: 0, file: openSync(path, 'r') };
  });
  const left = runs.filter(fill);
  const out = new Uint8Array(BLOCK_ENTRIES * ENTRY_BYTES);
  let filled = 0;
  while (left.length > 0) {
    let least = left[0]!;
    for (const run of left) {
      if (compare(run.block, run.at, least.block, least.at) < 0) least = run;
    }
    out.set(least.block.subarray(least.at * ENTRY_BYTES, (least.at + 1) * ENTRY_BYTES), filled);
    filled += ENTRY_BYTES;
    if (filled === out.length) {
      write(out);
      filled = 0;
    }
    least.at += 1;
    if (least.at === least.filled && !fill(least)) left.splice(left.indexOf(least), 1);
  }
  if (filled > 0) write(out.subarray(0, filled));
  for (const { file } of runs) closeSync(file);
}

/** Reads the next block; false at the end. Reads of local files are only short at the end. */
function fill(run: Run): boolean {
  run.filled = readSync(run.file, run.block) / ENTRY_BYTES;
  run.at = 0;
  return run.filled > 0;
}
