#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// The one file that an old Node can read: it says what is missing instead of failing on TypeScript syntax.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `barker needs Node.js 24 or newer; this is ${process.version}. "npm start" and "npx barker" bring their own.\n`,
  );
  process.exit(1);
}
// What was compiled once need not be the next time: starting takes two thirds of the time, and less memory. The folder
// belongs to whoever installed this; where it cannot be written, nothing is kept.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/barker', import.meta.url)));
await import('../src/main.ts');
