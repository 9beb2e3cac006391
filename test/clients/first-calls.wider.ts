// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browserOf } from '../rig/browser.ts';
import { trySnippets } from '../rig/call-snippets.ts';
import { pasted } from '../rig/first-calls.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ start: new Date().toISOString() });
});
after(() => world.close());

for (const language of ['curl', 'Node.js', 'Python', 'PHP', 'Ruby'])
  test(`the first call in ${language} at / works when pasted, in both environments`, async () => {
    const made = await browserOf(world.service.sandboxUrl).get('/');
    const { data } = JSON.parse(await pasted(made.html, language));
    const { body } = await world.sandbox.call('GET', '/12/accounts');
    assert.deepEqual(
      body.data.find(({ id }: { id: string }) => id === data[0].id),
      data[0],
    );
    const listed = await browserOf(world.service.url).get('/');
    const { body: own } = await world.production.call('GET', '/12/accounts');
    assert.deepEqual(JSON.parse(await pasted(listed.html, language)).data, own.data);
  });

trySnippets(['Python', 'PHP', 'Ruby'], () => world);
