import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/contract/problems/problems.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';

test('a database server that refuses connections is unavailable, without disclosing its address', async () => {
  const driver = openPostgres({ url: 'postgres://nobody@127.0.0.1:1/none', connectionsMax: 1 });
  for (const unit of [driver.read, driver.write]) {
    await assert.rejects(
      unit((session) => session.allRaw('select 1')),
      (error) => {
        assert.ok(error instanceof Problem);
        assert.deepEqual(error.errors, [{ problem: 'UNAVAILABLE' }]);
        assert.equal(error.retryAfter_s, 1);
        return true;
      },
    );
  }
  await driver.close();
});
