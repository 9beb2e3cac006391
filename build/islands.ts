import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';

// Bundles the scripts of pages: each file of src/console/islands is one, what they share is in common files.

const OUT = 'built/islands';

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const { metafile } = await build({
  entryPoints: globSync('src/console/islands/*.{ts,tsx}'),
  outdir: OUT,
  entryNames: '[name]-[hash]',
  chunkNames: 'shared-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'linked',
  metafile: true,
});
const manifest: Record<string, { file: string; imports: string[] }> = {};
for (const [path, { entryPoint, imports }] of Object.entries(metafile.outputs)) {
  if (!path.endsWith('.js')) continue;
  writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
  if (!entryPoint) continue;
  const name = basename(entryPoint).replace(/\.tsx?$/, '');
  manifest[name] = { file: basename(path), imports: imports.map((each) => basename(each.path)) };
}
writeFileSync(join(OUT, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
