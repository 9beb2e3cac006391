#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The one file that an old Node can read: it hands over to the Node.js that was installed with this package, or says
// what is missing instead of failing on TypeScript syntax.
const NEEDED = [24, 7];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) await start();
else handOver(ownNode());

async function start() {
  // What was compiled once need not be the next time: starting takes two thirds of the time, and less memory. The folder
  // belongs to whoever installed this; where it cannot be written, nothing is kept.
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/barker', import.meta.url)));
  // A checkout runs its sources; the package has what was made from them.
  const source = new URL('../src/main.ts', import.meta.url);
  await import(existsSync(source) ? source.href : '../dist/main.js');
}

/** The program of the optional dependency for this platform, if it was installed. */
function ownNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const { resolve } = module.createRequire(import.meta.url);
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      const folder = dirname(resolve(`${name}/package.json`));
      return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    } catch {
      // Left out, or there is none for this platform.
    }
  }
  return undefined;
}

/** Runs the same command with another Node and ends as it ends. */
function handOver(node) {
  if (node === undefined) return refuse();
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // It was made for another C library, for instance.
  child.on('error', refuse);
  // A terminal sends them to both; a service takes what comes at the same time as one signal.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function refuse() {
  process.stderr.write(
    `barker needs Node.js ${NEEDED.join('.')} or newer; this is ${process.version}. The one that comes with barker is not installed, or does not run here.\n`,
  );
  process.exit(1);
}
