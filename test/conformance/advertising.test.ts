// Of one node: sandbox and production are the two listeners of one server.
// Of own words: the sentences are about the words of the service itself.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openWorld, type World } from '../rig/world.ts';
import { chosenRules, type Result, runRules } from './conformance.ts';

const RULES = chosenRules(['advertising', 'campaigns', 'creatives', 'analytics']);
/** Sentences whose checks need a user with a weaker role, whom new accounts of a sandbox lack. */
const NOT_IN_SANDBOX = ['campaigns 2.2.26'];

let world: World;
before(async () => {
  world = await openWorld({ seams: { clock: systemClock }, flags: { rate_writes_per_min: 100_000 } });
});
after(() => world.close());

async function idsBy(url: string): Promise<Record<Result['outcome'], string[]>> {
  const results = await runRules(RULES, { url, keys: world.keys });
  const idsOf = (outcome: Result['outcome']): string[] =>
    results.filter((each) => each.outcome === outcome).map(({ id }) => id);
  for (const { id, sentence, outcome, reason } of results) {
    assert.notEqual(outcome, 'failed', `${id}: ${reason}`);
    assert.notEqual(sentence, '', id);
  }
  return { passed: idsOf('passed'), failed: idsOf('failed'), skipped: idsOf('skipped') };
}

test('a sandbox keeps every sentence about advertising that is checked', async () => {
  const { skipped } = await idsBy(world.service.sandboxUrl);
  assert.deepEqual(skipped, NOT_IN_SANDBOX);
});

test('production keeps them too, where it has the calls that they need', async () => {
  const { passed } = await idsBy(world.service.url);
  for (const id of NOT_IN_SANDBOX) assert.ok(passed.includes(id), id);
});
