import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

/** Bytes that a page may load for one script, and all scripts together. */
const [ENTRY_MAX, ALL_MAX] = [45_000, 90_000];

const manifest: Record<string, { file: string; imports: string[] }> = JSON.parse(
  readFileSync('built/islands/manifest.json', 'utf8'),
);
const sizeOf = (file: string): number => gzipSync(readFileSync(`built/islands/${file}`)).length;
const total = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + sizeOf(file), 0);
const entries = Object.entries(manifest).map(([name, { file, imports }]) => ({ name, files: [file, ...imports] }));

describe('scripts of pages are small', () => {
  for (const { name, files } of entries)
    test(name, () => assert.ok(total(files) <= ENTRY_MAX, `${total(files)} bytes`));

  test('all of them', () => {
    const all = new Set(entries.flatMap(({ files }) => files));
    assert.ok(entries.length >= 2);
    assert.ok(total(all) <= ALL_MAX, `${total(all)} bytes`);
  });
});

test('the licenses of what is in them come with them', () => {
  const licenses = readFileSync('built/islands/licenses.txt', 'utf8');
  for (const name of ['preact', '@preact/signals', '@tanstack/virtual-core', '@noble/hashes', 'libphonenumber-js'])
    assert.match(licenses, new RegExp(`^${name}\n\n[^]*?Copyright`, 'm'), name);
});
