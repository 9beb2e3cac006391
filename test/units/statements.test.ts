import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { statementsFor } from '../../src/storage/core/statements.ts';

describe('statements by shape', () => {
  test('are built once, and bound by name in the order of their text', () => {
    const statements = statementsFor('sqlite');
    let built = 0;
    const build = () =>
      statements.cached('things', (queries, argument) => {
        built += 1;
        return queries
          .selectFrom('things')
          .selectAll()
          .where('b', '=', argument('second'))
          .where('a', '=', argument('first'));
      });
    assert.equal(build(), build());
    assert.equal(built, 1);
    assert.deepEqual(build().bind({ first: 1, second: null }), [null, 1]);
    assert.throws(() => build().bind({ first: 1 }), /second is not given/);
  });

  test('are not remembered without end, whatever orders callers think of', () => {
    const statements = statementsFor('postgres');
    let built = 0;
    const ask = (shape: string) =>
      statements.cached(shape, (queries) => {
        built += 1;
        return queries.selectFrom(shape).selectAll();
      });
    for (let round = 0; round < 2; round++) for (let index = 0; index < 2500; index++) ask(`shape${index}`);
    assert.ok(built > 4000, 'old ones were forgotten');
    assert.equal(ask('shape2499').sql, 'select * from "shape2499"');
  });
});
