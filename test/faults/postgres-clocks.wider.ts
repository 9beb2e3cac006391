import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { type Group, type GroupNode, openGroup, startNode } from '../proofs/group.ts';
import { acknowledgedIn, openLedger } from '../proofs/ledger.ts';
import { startLoad } from '../proofs/load.ts';
import { verifyEvents, verifyWhole } from '../proofs/verify.ts';
import { toldTo } from '../proofs/webhook.ts';
import { protocol } from '../rig/client.ts';

const WINDOW_S = 300;
/** How wrong the clock of each node is. */
const CLOCKS_S = [0, 5, -5];
const WRONG_CLOCK = pathToFileURL('test/rig/wrong-clock.ts').href;
const LOAD_MS = 3000;

let group: Group;
before(async () => {
  group = await openGroup(CLOCKS_S.length, ['--timestamp-window-s', String(WINDOW_S)]);
  for (const [at, by_s] of CLOCKS_S.entries()) if (by_s !== 0) await restart(group.nodes[at]!, by_s);
});
after(() => group.close());

async function restart(node: GroupNode, by_s: number): Promise<void> {
  await node.serving?.stop();
  node.serving = undefined;
  const env = { NODE_OPTIONS: `--import ${WRONG_CLOCK}`, WRONG_CLOCK_MS: String(by_s * 1000) };
  const { site } = node;
  node.site = { ...site, env: { ...site.env, ...env } };
  try {
    await startNode(node);
  } finally {
    node.site = site;
  }
}

/** A request to open an account, signed at a time that the client takes for the present. */
function signedAt(time_ms: number): string {
  const { keys, sandbox } = group.site;
  return sign({
    ...{ method: 'POST', url: `${sandbox}/12/accounts`, oauth: protocol(keys, { now: () => time_ms }) },
    ...{ consumerSecret: keys.consumer_secret, tokenSecret: keys.access_token_secret },
  }).header;
}

async function sendTo({ site }: GroupNode, authorization: string): Promise<number> {
  const headers = { host: new URL(group.site.sandbox).host, authorization };
  const { statusCode, body } = await request(`${site.sandbox}/12/accounts`, { method: 'POST', headers });
  await body.dump();
  return statusCode;
}

for (const [when, offset_s] of [
  ['now', 0],
  ['at the end of the window of one of them', -WINDOW_S],
  ['where the window of one of them begins', WINDOW_S],
  ['a moment before the window of one of them ends', 3 - WINDOW_S],
  ['a moment after the window of one of them begins', WINDOW_S - 3],
] as const) {
  test(`a request that was signed ${when} is performed at most once by servers whose clocks are 10 s apart`, async () => {
    for (let round = 0; round < 10; round++) {
      const authorization = signedAt(Date.now() + offset_s * 1000);
      const atOnce = await Promise.all(group.nodes.map((node) => sendTo(node, authorization)));
      const performed = atOnce.filter((status) => status === 200).length;
      assert.equal(performed, 1, atOnce.join(' '));
      for (const node of group.nodes) assert.equal(await sendTo(node, authorization), 401);
    }
  });
}

test('servers whose clocks are 10 s apart lose, repeat or halve nothing, and tell a webhook everything', async () => {
  const ledger = openLedger();
  const load = startLoad(group.site, group.home, ledger, { round: 'c', persists: true, of: 1, pause_ms: 20 });
  await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
  await load.stop();
  assert.deepEqual(ledger.wrong, []);
  assert.ok(acknowledgedIn(ledger) > 0);
  await verifyWhole(group.site, group.home, ledger);
  await verifyEvents(group.site, ledger, () => toldTo(group.reached));
});

for (const by_s of [120, -120]) {
  test(`a server whose clock is ${Math.abs(by_s)} s ${by_s < 0 ? 'behind' : 'ahead'} does not start, and says why`, async () => {
    const failure = /the clock of this machine shows .* and that of the database .*: more than 30 s apart; synchronize/;
    await assert.rejects(restart(group.nodes[0]!, by_s), failure);
    await startNode(group.nodes[0]!);
  });
}
