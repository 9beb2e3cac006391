import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs build/site/build.ts with the Node.js that the program runs on; any Node.js that npm runs on can run this.

const NEEDED = [24, 7];
const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
const home = fileURLToPath(new URL('../', import.meta.url));
const { status } = spawnSync(
  isNewEnough ? process.execPath : ownNode(),
  ['--disable-warning=ExperimentalWarning', join(home, 'build/site/build.ts'), ...process.argv.slice(2)],
  {
    cwd: home,
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: join(home, 'node_modules/.cache/barker/site') },
  },
);
process.exitCode = status ?? 1;

/** The Node.js that was installed for this platform. */
function ownNode() {
  const { resolve } = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      const program = join(dirname(resolve(`${name}/package.json`)), 'bin', platform === 'win' ? 'node.exe' : 'node');
      if (existsSync(program)) return program;
    } catch {
      // Omitted at installation, or not available for this platform.
    }
  }
  process.stderr.write(`The documentation is not built: it needs Node.js ${NEEDED.join('.')} or newer.\n`);
  process.exit();
}
