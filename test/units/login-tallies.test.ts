import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoginTally } from '../../src/contract/store/logins.ts';
import { countAttempt, EMPTY_TALLY, type LoginRule } from '../../src/features/auth/logins/login-throttle.ts';

/** Fails at a time until it is to wait; the answer is the tally, and for how long. */
function failing(rule: LoginRule, now_s: number): { readonly tally: LoginTally; readonly wait_s: number } {
  let tally: LoginTally = { id: 'a', ...EMPTY_TALLY };
  for (;;) {
    const tried = countAttempt(tally, rule, now_s);
    if ('wait_s' in tried) return { tally, wait_s: tried.wait_s };
    tally = tried.tally;
  }
}

for (const rule of [
  { kind: 'lock', max: 3 },
  { kind: 'drain', max: 3, each_s: 18 },
] as const) {
  test(`after the clock is set back nobody waits longer, and no failure is forgotten: ${rule.kind}`, () => {
    const { tally, wait_s } = failing(rule, 1_000_000);
    assert.deepEqual(countAttempt(tally, rule, 1_000_000 - 3600), { wait_s });
    assert.ok('tally' in countAttempt(tally, rule, 1_000_000 + wait_s));
  });
}
