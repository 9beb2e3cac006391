import { start } from '../../src/testing/index.ts';

// Starts a server, tells of it, and lasts until it is killed, or ends without closing it.
const { pid, url, dataFolder } = await start();
process.stdout.write(`${JSON.stringify({ pid, url, dataFolder })}\n`);
if (process.argv[2] === 'last') setInterval(() => {}, 60_000);
