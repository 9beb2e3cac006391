import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { licensesOf, packageFolders } from './packages.js';

// Bundles the scripts of pages into `built/islands`, or the folder given as an argument: each folder of
// `src/console/islands` with a `start.tsx` is one. Any Node.js that npm runs on can run it, as it does after `npm ci`.
// @source decision 1008

const SOURCE = 'src/console/islands';

const home = fileURLToPath(new URL('../', import.meta.url));
const out = resolve(process.argv[2] ?? join(home, 'built/islands'));
process.chdir(home);

/**
 * Phone numbers are checked, and never written with spaces: how they would be is half of what the library knows of each
 * country.
 */
const withoutFormats = {
  name: 'phone numbers without formats',
  setup: ({ onLoad }) =>
    onLoad({ filter: /libphonenumber-js[\\/]metadata\.min\.json\.js$/ }, async ({ path }) => {
      const { default: metadata } = await import(pathToFileURL(path));
      for (const country of Object.values(metadata.countries)) country[FORMATS] = 0;
      return { contents: `export default ${JSON.stringify(metadata)}` };
    }),
};
const FORMATS = 4;

const names = readdirSync(SOURCE).filter((name) => existsSync(join(SOURCE, name, 'start.tsx')));
const { metafile, outputFiles } = await build({
  entryPoints: Object.fromEntries(names.map((name) => [name, join(SOURCE, name, 'start.tsx')])),
  outdir: out,
  entryNames: '[name]-[hash]',
  chunkNames: 'shared-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [withoutFormats],
  // The image is built without the settings of the type checker.
  tsconfigRaw: '{}',
  metafile: true,
  write: false,
});

mkdirSync(out, { recursive: true });
const written = new Set();
for (const { path, contents } of outputFiles) {
  write(basename(path), contents);
  if (path.endsWith('.js')) write(`${basename(path)}.br`, brotliCompressSync(contents));
}
const manifest = {};
for (const [path, { entryPoint, imports }] of Object.entries(metafile.outputs)) {
  if (!entryPoint) continue;
  const files = imports.map((each) => basename(each.path));
  manifest[basename(dirname(entryPoint))] = { file: basename(path), imports: files };
}
write('manifest.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
const folders = packageFolders(Object.keys(metafile.inputs));
write('licenses.txt', licensesOf(folders));
write('packages.json', JSON.stringify(folders));
for (const file of readdirSync(out)) if (!written.has(file)) rmSync(join(out, file));

/** A server that starts meanwhile finds the file whole, before and after. */
function write(name, contents) {
  written.add(name);
  writeFileSync(join(out, `${name}.new`), contents);
  renameSync(join(out, `${name}.new`), join(out, name));
}
