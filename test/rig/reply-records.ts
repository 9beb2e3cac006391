import { hash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownHeaders, ownText } from './foreign-words.ts';

/** A reply in own words. */
export interface RecordedReply {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

let file = 'none';
/** Texts of this size are written once for each target: a test that has its replies waited for must not wait for a disk. */
const LARGE = 65_536;
/** Large replies that this file of tests has seen. */
let seen = new Set<string>();

/** What is recorded from now on are the replies that this file of tests sees. */
export function recordFor(testFile: string): void {
  file = testFile;
  seen = new Set();
}

/** Records a reply in the folder that `TEST_REPLIES` names, if any; those of each file of tests in a file of its own. */
export function recordReply(method: string, target: string, status: number, headers: Headers, body: string): void {
  const folder = process.env.TEST_REPLIES;
  if (!folder) return;
  const reply: RecordedReply = {
    ...{ method, target: ownText(target), status, headers: [...ownHeaders(headers)] },
    body: isAsBefore(target, body) ? 'as before' : ownText(body),
  };
  appendFileSync(join(folder, `${file.replaceAll('/', '_')}.jsonl`), `${JSON.stringify(reply)}\n`);
}

function isAsBefore(target: string, body: string): boolean {
  if (body.length < LARGE) return false;
  const key = `${target} ${hash('sha1', body)}`;
  const isKnown = seen.has(key);
  seen.add(key);
  return isKnown;
}
