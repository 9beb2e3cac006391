import { type Dialect, observeStatements } from '../../src/storage/core/statements.ts';

/** What the values of programs leave in a key. */
const PROGRAM_WORDS = /\b(?:true|false|undefined|NaN)\b|\[object /;

/** Of later uses, one in so many is checked. */
const SAMPLED = 64;

/**
 * Compiles statements again when they are used, and throws when a key that is known stands for another SQL text: each use must
 * bind the statement that it would have built. Keys are shown to developers, so they consist of words. The first uses of each key are checked, and then a sample. The result ends it.
 */
export function checkStatementKeys(firstUses = 25): () => void {
  const uses = { sqlite: new Map<string, number>(), postgres: new Map<string, number>() } satisfies Record<
    Dialect,
    unknown
  >;
  const former = observeStatements((dialect, key, known, compileAgain) => {
    if (PROGRAM_WORDS.test(key)) throw new Error(`the key "${key}" is not in words, as developers read it`);
    const count = uses[dialect].get(key) ?? 0;
    uses[dialect].set(key, count + 1);
    if (count >= firstUses && count % SAMPLED !== 0) return;
    const { sql } = compileAgain();
    if (sql !== known.sql) throw new Error(`the key "${key}" stands for two statements:\n${known.sql}\n${sql}`);
  });
  return () => void observeStatements(former);
}
