import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// After `npm ci` in a checkout: starts a development server and stops it, so that the modules of the first start are compiled
// already. Without this, a first start takes twice as long and 25 MB more. Nothing depends on it. Any Node.js can parse it.
// @source decision 908

const TIMEOUT_MS = 30_000;

await warmUp();

function warmUp() {
  const program = fileURLToPath(new URL('../bin/barker.js', import.meta.url));
  // Settings in the environment are meant for other servers, such as a database.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BARKER_')));
  // The server stops when it has started, because its input has ended.
  const server = spawn(process.execPath, [program, 'dev', '--ephemeral'], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env,
    timeout: TIMEOUT_MS,
  });
  server.stdin.end();
  let log = '';
  server.stderr.on('data', (text) => {
    log += text;
  });
  return new Promise((resolve) => {
    server.on('error', resolve);
    server.on('close', (code) => {
      if (code !== 0) process.stderr.write(`no modules were compiled ahead: ${log}`);
      resolve();
    });
  });
}
