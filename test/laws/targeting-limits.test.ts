import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createItem, good, openFixture, type TargetingFixture } from '../resources/targeting-calls.ts';
import type { Reply } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';

const WRITERS = 50;

let world: World;
let place: TargetingFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
});
after(() => world.close());

const succeeded = (replies: readonly Reply[]) => replies.filter((reply) => reply.status === 200);
const refused = (replies: readonly Reply[]) => replies.filter((reply) => reply.status !== 200);

function atOnce(send: (number: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: WRITERS }, (_, number) => send(number)));
}

describe(`the limits of a line item hold under ${WRITERS} writers at once`, () => {
  test('only one of several age ranges is stored', async () => {
    const line = await place.line();
    const ages = ['AGE_OVER_13', 'AGE_OVER_18', 'AGE_OVER_21', 'AGE_OVER_25', 'AGE_OVER_35'];
    const replies = await atOnce((number) => place.add(line, 'AGE', ages[number % ages.length]!));
    const ids = new Set(succeeded(replies).map((reply) => reply.body.data.id));
    assert.equal(ids.size, 1, 'those that succeed are answered with the same criterion');
    assert.ok(refused(replies).length > 0);
    for (const reply of refused(replies)) assert.equal(reply.body.errors[0].code, 'INVALID');
    assert.equal((await place.targeted(line)).length, 1);
  });

  test('the same keyword is stored once', async () => {
    const line = await place.line();
    const replies = await atOnce((number) =>
      number % 2 ? place.add(line, 'BROAD_KEYWORD', 'tea') : place.batch([createItem(line, 'BROAD_KEYWORD', 'tea')]),
    );
    assert.equal(succeeded(replies).length, WRITERS, refused(replies)[0]?.text);
    const ids = new Set(replies.map((reply) => [reply.body.data].flat()[0].id));
    assert.equal(ids.size, 1);
    assert.equal((await place.targeted(line)).length, 1);
  });

  test('1000 keywords fit, by single calls and atomic batches', async () => {
    const line = await place.line();
    const words = (from: string, count: number) =>
      Array.from({ length: count }, (_, index) => createItem(line, 'PHRASE_KEYWORD', `${from} ${index}`));
    for (const from of ['first', 'second']) good(await place.batch(words(from, 485)));
    const replies = await atOnce((number) =>
      number % 2 ? place.add(line, 'EXACT_KEYWORD', `single ${number}`) : place.batch(words(`batch ${number}`, 3)),
    );
    const stored = succeeded(replies).reduce((sum, reply) => sum + [reply.body.data].flat().length, 970);
    const targeted = await place.targeted(line);
    assert.equal(targeted.length, stored);
    assert.ok(stored <= 1000 && stored > 997, `${stored} keywords`);
    const counted = new Map<string, number>();
    for (const word of targeted.filter((each) => each.includes(' batch '))) {
      const name = word.split(' ').slice(1, 3).join(' ');
      counted.set(name, (counted.get(name) ?? 0) + 1);
    }
    assert.deepEqual([...new Set(counted.values())], [3]);
    for (const reply of refused(replies)) {
      const [fault] = reply.body.errors ?? reply.body.operation_errors.flat();
      assert.equal(fault.code, 'REQUEST_TOO_COMPLEX');
    }
  });

  test('a batch can replace a keyword at the limit', async () => {
    const line = await place.line();
    const all = Array.from({ length: 1000 }, (_, index) => createItem(line, 'BROAD_KEYWORD', `word ${index}`));
    const made: { id: string }[] = [];
    for (const half of [all.slice(0, 500), all.slice(500)])
      made.push(...(good(await place.batch(half)) as unknown as { id: string }[]));
    const replies = await atOnce((number) =>
      place.batch([
        createItem(line, 'BROAD_KEYWORD', `other ${number}`),
        { operation_type: 'Delete', params: { targeting_criterion_id: made[number]!.id } },
      ]),
    );
    assert.equal(succeeded(replies).length, WRITERS, refused(replies)[0]?.text);
    assert.equal((await place.add(line, 'BROAD_KEYWORD', 'one more')).status, 400);
  });

  test('a line item gets one curated category, and then no IAB category', async () => {
    const line = await place.line();
    good(await place.add(line, 'LOCATION', '96683cc9126741d1'));
    const replies = await atOnce((number) =>
      number % 2
        ? place.post('line_item_curated_categories', { line_item_id: line, curated_category_id: '9ddk3gesia6o' })
        : place.batch([createItem(line, 'IAB_CATEGORY', 'IAB2')]),
    );
    const [curated, targeted] = [1, 0].map(
      (odd) => succeeded(replies.filter((_, number) => number % 2 === odd)).length,
    );
    assert.ok(
      (curated === 1 && targeted === 0) || (curated === 0 && targeted === WRITERS / 2),
      `${curated}, ${targeted}`,
    );
  });
});
