// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openWorld, type World } from '../rig/world.ts';
import { needPackages } from './debian.ts';
import { runRecipe } from './recipes.ts';

const PROGRAMS = [
  { title: 'Calls with requests-oauthlib', says: /^\{.*'data': \[\].*\}$/ },
  { title: 'Python tweepy, application-only', says: /^The application sees Ada Demo$/ },
];

for (const scheme of ['http', 'https']) {
  describe(`over ${scheme}, the program under`, () => {
    let world: World;
    before(async () => {
      needPackages('python3-requests-oauthlib', 'python3-tweepy');
      world = await openWorld({ flags: { tls: scheme === 'https' }, seams: { clock: systemClock } });
    });
    after(() => world?.close());

    for (const { title, says } of PROGRAMS) {
      test(title, async () => {
        const program = runRecipe(world, title);
        assert.match(await program.line(), says);
        assert.equal(await program.ended, 0);
      });
    }
  });
}
