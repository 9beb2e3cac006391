#!/usr/bin/env node
// The one file that an old Node can read: it says what is missing instead of failing on TypeScript syntax.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `barker needs Node.js 24 or newer; this is ${process.version}. "npm start" and "npx barker" bring their own.\n`,
  );
  process.exit(1);
}
await import('../src/main.ts');
