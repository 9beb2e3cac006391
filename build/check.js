import { spawn } from 'node:child_process';

// Types, style, dead code, commit subjects and ratchets, all at once: each takes little more than one processor.
const CHECKS = [
  'tsc --noEmit',
  'tsc --noEmit -p src/console/islands',
  'tsc --noEmit -p build/site/browser',
  'biome check --error-on-warnings .',
  'knip --no-progress',
  'node build/commit-subjects.ts',
  'node --disable-warning=ExperimentalWarning build/ratchets.ts',
];

const codes = await Promise.all(
  CHECKS.map((line) => new Promise((ended) => spawn(line, { shell: true, stdio: 'inherit' }).on('exit', ended))),
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
