import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

const home = fileURLToPath(new URL('../', import.meta.url));
const isPackage = process.argv[2] !== undefined;
const out = resolve(process.argv[2] ?? join(home, 'built/program'));
process.chdir(home);

// What runs by itself has its name; it is found in the folder of whatever starts it.
const entryPoints = { main: 'src/main.ts' };
for (const { parentPath, name } of readdirSync('src', { recursive: true, withFileTypes: true })) {
  if (!name.endsWith('.ts')) continue;
  const code = readFileSync(join(parentPath, name), 'utf8');
  for (const [, path] of code.matchAll(STARTED)) entryPoints[basename(path)] = join(parentPath, `${path}.ts`);
}

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

const { metafile, outputFiles } = await build({
  entryPoints,
  outdir: out,
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  // Names stay, for stack traces.
  minifyWhitespace: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // A few are loaded on demand, or read files beside their modules, and are installed beside the bundle.
  external: Object.keys(dependencies),
  // Some packages are CommonJS modules.
  banner: {
    js: `import'../../bin/positions.js';const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);`,
  },
  plugins: [{ name: 'places', setup: (each) => each.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, inPlace) }],
  tsconfigRaw: '{}',
  sourcemap: 'external',
  sourcesContent: false,
  metafile: true,
  write: false,
});

mkdirSync(out, { recursive: true });
const written = new Set();
for (const { path, contents, text } of outputFiles)
  write(basename(path), path.endsWith('.map') ? mapped(text) : contents);
// Node.js looks for it above each module, and finds it at once.
write('package.json', JSON.stringify({ type: 'module' }));
if (isPackage) {
  const folders = packageFolders(Object.keys(metafile.inputs));
  write('licenses.txt', licensesOf(folders));
  write('sbom.cdx.json', billOf(folders));
} else {
  write('sources.json', JSON.stringify(sourcesOf(metafile)));
}
for (const file of readdirSync(out)) if (!written.has(file)) rmSync(join(out, file));

/** A module that finds what it starts in the bundle, and other files beside its source. */
function inPlace({ path }) {
  const name = nameOf(path);
  const here = `new URL('${isPackage ? name.replace(/^src/, '..') : `../../${name}`}', import.meta.url).href`;
  const contents = readFileSync(path, 'utf8')
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
function sourcesOf({ inputs }) {
  const own = Object.keys(inputs).filter((path) => !path.startsWith('node_modules/'));
  return [...own, 'node_modules/.package-lock.json'].map((path) => {
    const { size, mtimeMs } = statSync(path);
    return [path, size, mtimeMs];
  });
}

function write(file, contents) {
  writeFileSync(join(out, file), contents);
  written.add(file);
}
