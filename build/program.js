import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { billOf, licensesOf, packageFolders } from './packages.js';

// Bundles the program and its threads and child processes, which have a thousand modules, into a few files that start in
// half of the time and with less memory: `built/program` for a checkout, or the folder given as an argument, which lies in
// the `dist/` of a package. Any Node.js that npm runs on can run this, as it does after `npm ci`.
// @source decision 908

/** How modules name what runs in a thread or process of its own. */
const STARTED = /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g;
/** How they load a package at its first use. */
const LATER = /createRequire\(import\.meta\.url\)\('([^']+)'\)/g;
/** How they load a module of a package whose other modules are not needed. */
const PART = /\bload\('([^'.][^']*)'\)/g;

const home = fileURLToPath(new URL('../', import.meta.url));
const isPackage = process.argv[2] !== undefined;
const out = resolve(process.argv[2] ?? join(home, 'built/program'));
process.chdir(home);

// What runs by itself has its name; it is found in the folder of whatever starts it.
const entryPoints = { main: 'src/main.ts' };
const later = new Set();
for (const { parentPath, name } of readdirSync('src', { recursive: true, withFileTypes: true })) {
  if (!name.endsWith('.ts')) continue;
  const code = readFileSync(join(parentPath, name), 'utf8');
  for (const [, library] of code.matchAll(LATER)) later.add(library);
  for (const [, path] of code.matchAll(STARTED)) entryPoints[basename(path)] = join(parentPath, `${path}.ts`);
}

const shared = {
  outdir: out,
  bundle: true,
  // Names stay, for stack traces.
  minifyWhitespace: true,
  platform: 'node',
  target: 'node24',
  // Some packages are written twice: this is the half of which only what is used is bundled.
  mainFields: ['module', 'main'],
  // Without the condition `module`, which has the half of a package that is for browsers.
  conditions: ['node'],
  tsconfigRaw: '{}',
  metafile: true,
  write: false,
};
// What is loaded at its first use is a file of its own, and costs a start nothing.
const libraries = await build({
  ...shared,
  entryPoints: Object.fromEntries([...later].map((name) => [fileOf(name), name])),
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
});
const program = await build({
  ...shared,
  entryPoints,
  chunkNames: '[name]-[hash]',
  splitting: true,
  format: 'esm',
  external: ['./*.cjs'],
  // Some packages are CommonJS modules.
  banner: {
    js: `import'../../bin/positions.js';const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);`,
  },
  plugins: [{ name: 'places', setup: (each) => each.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, inPlace) }],
  sourcemap: 'external',
  sourcesContent: false,
});
const inputs = [program, libraries].flatMap(({ metafile }) => Object.keys(metafile.inputs));

mkdirSync(out, { recursive: true });
const written = new Set();
for (const { path, contents, text } of [...program.outputFiles, ...libraries.outputFiles])
  write(basename(path), path.endsWith('.map') ? mapped(text) : contents);
// A module finds its code for videos in the folder above it.
copyFileSync('node_modules/mediainfo.js/dist/MediaInfoModule.wasm', join(out, '../MediaInfoModule.wasm'));
// Node.js looks for it above each module, and finds it at once.
write('package.json', JSON.stringify({ type: 'module' }));
if (isPackage) {
  const folders = packageFolders(inputs);
  write('licenses.txt', licensesOf(folders));
  const ofPages = JSON.parse(readFileSync('built/islands/packages.json', 'utf8'));
  write('sbom.cdx.json', billOf([...new Set([...folders, ...ofPages])].sort()));
} else {
  write('sources.json', JSON.stringify(sourcesOf(inputs)));
}
for (const file of readdirSync(out)) if (!written.has(file)) rmSync(join(out, file));

/** The file of a package that is loaded at its first use. */
function fileOf(name) {
  return name.replace(/^@/, '').replaceAll('/', '-');
}

/** A module that finds what it starts in the bundle, and other files beside its source. */
function inPlace({ path }) {
  const name = nameOf(path);
  const here = `new URL('${isPackage ? name.replace(/^src/, '..') : `../../${name}`}', import.meta.url).href`;
  const contents = readFileSync(path, 'utf8')
    .replace(LATER, (_, library) => `require('./${fileOf(library)}.cjs')`)
    .replace(PART, `require('$1')`)
    .split(STARTED)
    .map((part, index) =>
      index % 2 === 0 ? part.replaceAll('import.meta.url', here) : `new URL('./${basename(part)}.js', import.meta.url)`,
    )
    .join('');
  return { loader: 'ts', contents };
}

/** A source map with the files of the repository, wherever the bundle is made. */
function mapped(text) {
  const map = JSON.parse(text);
  return JSON.stringify({ ...map, sources: map.sources.map((path) => `../../${nameOf(resolve(out, path))}`) });
}

/** The path of a file in the repository. */
function nameOf(path) {
  return relative(home, path).replaceAll('\\', '/');
}

/** The size and the time of the last change of each file that the bundle was made from; packages as a whole. */
function sourcesOf(inputs) {
  const own = inputs.filter((path) => !path.startsWith('node_modules/'));
  return [...own, 'node_modules/.package-lock.json'].map((path) => {
    const { size, mtimeMs } = statSync(path);
    return [path, size, mtimeMs];
  });
}

function write(file, contents) {
  writeFileSync(join(out, file), contents);
  written.add(file);
}
