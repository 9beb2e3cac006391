import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openWorld, type World } from '../rig/world.ts';
import { needPackages } from './debian.ts';
import { runRecipe } from './recipes.ts';

let world: World;

before(async () => {
  needPackages('python3-requests-oauthlib', 'python3-tweepy');
  world = await openWorld({ seams: { clock: systemClock } });
});
after(() => world?.close());

test('the program of the page that calls with requests-oauthlib makes an account and lists its campaigns', async () => {
  const program = runRecipe(world, 'Calls with requests-oauthlib');
  assert.match(await program.line(), /'data': \[\]/);
  assert.equal(await program.ended, 0);
});

test('the application-only program with tweepy sees a user', async () => {
  const program = runRecipe(world, 'Python tweepy, application-only');
  assert.equal(await program.line(), 'The application sees Ada Demo');
  assert.equal(await program.ended, 0);
});
