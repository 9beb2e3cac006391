import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { filledIn } from '../../src/http/documentation.ts';
import { ownSchemasOf } from '../openapi/own-schemas.ts';
import { defaults } from './defaults.ts';
import { openApiText, operations, siteFiles } from './site.ts';

// Writes the documentation: `built/site/`, which a server fills in with its own values, or with `--static FOLDER` pages with
// the values of a server with default settings, to publish anywhere.
// @source decision 1231

const { values } = parseArgs({ options: { static: { type: 'string' } } });
const out = resolve(values.static ?? 'built/site');
const isServed = values.static === undefined;
const written = new Set<string>();

for (const [name, text] of siteFiles()) write(name, isServed ? text : filledIn(name, text, defaults));
write('site.css', readFileSync('build/site/site.css'));
for (const file of globSync('src/http/reference/snippets/*.mjs'))
  write(`reference/${basename(file)}`, readFileSync(file));
for (const file of globSync('docs/{generated/*.schema.json,pictures/*}'))
  write(relative('docs', file), readFileSync(file));
write('openapi.json', openApiText(isServed));
if (isServed) writeFileSync('built/schemas.json', JSON.stringify(ownSchemasOf(operations)));
const { outputFiles } = await build({
  entryPoints: { site: 'build/site/browser/site.ts' },
  outdir: out,
  chunkNames: '[name]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  write: false,
});
for (const { path, contents } of outputFiles) write(basename(path), contents);
for (const each of readdirSync(out, { recursive: true, withFileTypes: true })) {
  const path = join(each.parentPath, each.name);
  if (each.isFile() && !written.has(path)) rmSync(path);
}

/** Compressed at once for all readers: the search has the most bytes. */
function packed(contents: string | Uint8Array): Buffer {
  return brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } });
}

/** A server that reads meanwhile finds a file whole, before and after. */
function write(name: string, contents: string | Uint8Array): void {
  if (isServed && /\.(?:css|js|json)$/.test(name) && name !== 'openapi.json') write(`${name}.br`, packed(contents));
  const path = join(out, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
  written.add(path);
}
