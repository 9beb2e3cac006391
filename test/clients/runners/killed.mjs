import { start } from '@barker-ads/server/testing';

// Starts a server, tells of it, and lasts until it is killed.
const { url, dataFolder } = await start();
console.log(JSON.stringify({ url, dataFolder }));
setInterval(() => {}, 60_000);
