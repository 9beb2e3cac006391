// Of one node: the limit of open streams is counted, and a receiver waits on this machine.
// Of own words: the sentences are about the words of the service itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { openWorld, type World } from '../rig/world.ts';
import { chosenRules, type Result, RULES, runRules } from './conformance.ts';
import { send } from './send.ts';

let world: World;
/** A server that answers everything in one way. */
let wrong: Server;
let wrongUrl: string;
let folder: string;
before(async () => {
  world = await openWorld({ seams: { clock: systemClock } });
  wrong = createServer((_, response) => {
    response.sendDate = false;
    response.writeHead(400, { 'content-type': 'text/plain' }).end('{}');
  });
  await once(wrong.listen(0, '127.0.0.1'), 'listening');
  wrongUrl = `http://127.0.0.1:${(wrong.address() as AddressInfo).port}`;
  folder = mkdtempSync(join(tmpdir(), 'barker-conformance-'));
  writeFileSync(join(folder, 'keys.json'), JSON.stringify(world.keys));
});
after(async () => {
  wrong.close();
  rmSync(folder, { recursive: true });
  await world.close();
});

/** Sentences that a server can keep by doing nothing. */
const KEPT_BY_NOTHING = ['authentication 1.1.9'];

const told = ({ id, outcome, reason }: Result): string => `${id} ${outcome}: ${reason}`;

test('this server keeps every sentence about authentication and activity that is checked', async () => {
  const results = await runRules(chosenRules(['authentication', 'activity']), {
    url: world.service.url,
    keys: world.keys,
  });
  assert.deepEqual(results.filter(({ outcome }) => outcome !== 'passed').map(told), []);
  for (const { id, sentence } of results) assert.notEqual(sentence, '', id);
});

test('a server that answers everything alike keeps none', async () => {
  const results = await runRules(RULES, { url: wrongUrl, keys: world.keys });
  const kept = results.filter(({ outcome }) => outcome !== 'failed').map(({ id }) => id);
  assert.deepEqual(kept, KEPT_BY_NOTHING);
});

test('one wrong word in a reply fails the sentence that states it', async () => {
  const results = await runRules(chosenRules(['authentication 1.1']), {
    url: world.service.url,
    keys: world.keys,
    async send(sent) {
      const reply = await send(sent);
      const body = JSON.parse(JSON.stringify(reply.body ?? null)?.replace('that page', 'this page'));
      return { ...reply, body };
    },
  });
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  assert.deepEqual(
    failed.map(({ id }) => id),
    ['authentication 1.1.6'],
  );
  assert.match(failed[0]!.reason!, /this page/);
});

test('without keys, checks that need them are skipped, with the reason', async () => {
  const { consumer_key, consumer_secret, access_token, access_token_secret } = world.keys;
  const keys = { consumer_key, consumer_secret, access_token, access_token_secret };
  const results = await runRules(chosenRules(['authentication 6.4']), { url: world.service.url, keys });
  for (const { outcome, reason } of results)
    assert.deepEqual([outcome, reason], ['skipped', 'no password in the keys']);
});

describe('the command', () => {
  /** Runs it for sentences; resolves with the exit code and the last line. */
  async function run(url: string, ...more: string[]): Promise<{ code: number; text: string; last: string }> {
    const args = ['test/conformance/run.ts', '--url', url, '--keys', join(folder, 'keys.json'), ...more];
    const ended = await promisify(execFile)(process.execPath, args).catch((error) => error);
    const text: string = ended.stdout;
    return { code: ended.code ?? 0, text, last: text.trim().split('\n').at(-1)! };
  }

  test('prints what passed, and ends with 0', async () => {
    const { code, text, last } = await run(world.service.url, '--only', 'authentication 1.1.6');
    assert.deepEqual([code, last], [0, '1 passed, 0 failed, 0 skipped']);
    assert.match(text, /^passed {3}authentication 1\.1\.6 +An unknown path is 404\/34/);
  });

  test('ends with 1 when one fails', async () => {
    const { code, last } = await run(wrongUrl, '--only', 'authentication 1.1.6');
    assert.deepEqual([code, last], [1, '0 passed, 1 failed, 0 skipped']);
  });

  test('prints JSON', async () => {
    const { text } = await run(wrongUrl, '--only', 'authentication 1.1.6', '--json');
    const { passed, failed, skipped, results } = JSON.parse(text);
    assert.deepEqual([passed, failed, skipped, results[0].id], [0, 1, 0, 'authentication 1.1.6']);
  });

  test('refuses a section without checks', async () => {
    assert.equal((await run(wrongUrl, '--only', 'authentication 99')).code, 2);
  });
});
