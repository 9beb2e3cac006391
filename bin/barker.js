#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The only file that an old Node.js can parse: it hands over to the Node.js that was installed with this package, or
// reports what is missing instead of failing on TypeScript syntax.
// @source decision 562
const NEEDED = [24, 7];
/** The commands for which `src/main.ts` keeps the space for young objects small. */
const SERVERS = ['dev', 'serve'];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) await start();
else handOver(ownNode());

async function start() {
  // The compile cache cuts the time to start by a third, and uses less memory. The folder belongs to the user that
  // installed the package; if it is not writable, nothing is cached. Servers have one of their own: they set a flag of V8,
  // which only takes what was compiled with the same flags. @source decision 1280
  const cache = SERVERS.includes(process.argv[2]) ? 'servers' : 'commands';
  module.enableCompileCache(fileURLToPath(new URL(`../node_modules/.cache/barker/${cache}`, import.meta.url)));
  // The package runs what was bundled for it; a checkout too, unless its sources have changed since.
  const isCheckout = existsSync(new URL('../src/main.ts', import.meta.url));
  const bundle = new URL(isCheckout ? '../built/program/' : '../dist/program/', import.meta.url);
  if (isCheckout && !isCurrent(new URL('sources.json', bundle))) return startSources();
  resolveAtOnce(new URL('./', bundle).href, '.js', 'module');
  await import(new URL('main.js', bundle).href);
}

/** Whether all files are as they were when the bundle was made. */
function isCurrent(list) {
  if (!existsSync(list)) return false;
  const home = fileURLToPath(new URL('../', import.meta.url));
  return JSON.parse(readFileSync(list, 'utf8')).every(([path, size, changed_ms]) => {
    const now = statSync(home + path, { throwIfNoEntry: false });
    return now?.size === size && now.mtimeMs === changed_ms;
  });
}

function startSources() {
  const home = new URL('../src/', import.meta.url).href;
  resolveAtOnce(home, '.ts', 'module-typescript');
  return import(`${home}main.ts`);
}

/**
 * Modules of Barker name each other with folder and extension: nothing has to be looked up, which takes a tenth of the
 * time to start, or more.
 * @source decision 908
 */
function resolveAtOnce(home, extension, format) {
  module.registerHooks({
    resolve(specifier, context, next) {
      const isOwn = specifier[0] === '.' && specifier.endsWith(extension) && context.parentURL?.startsWith(home);
      if (!isOwn) return next(specifier, context);
      return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true };
    },
  });
}

/** The Node.js of the optional dependency for this platform, if it is installed. */
function ownNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const { resolve } = module.createRequire(import.meta.url);
  try {
    const folder = dirname(resolve(`node-${platform}-${process.arch}/package.json`));
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    // Omitted at installation, or not available for this platform.
    return undefined;
  }
}

/** Runs the same command with another Node.js, and exits with its exit code. */
function handOver(node) {
  if (node === undefined) return refuse();
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // It may have been built for another C library, for instance.
  child.on('error', refuse);
  // A terminal signals both processes; the server treats signals that arrive together as one.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function refuse() {
  process.stderr.write(
    `barker needs Node.js ${NEEDED.join('.')} or newer; this is ${process.version}. The one that comes with barker, for Linux, Windows and macOS on Intel, is not installed or does not run here.\n`,
  );
  process.exit(1);
}
