import { openThread } from '../../../base/threads.ts';
import type { UploadParser } from '../../../contract/store/audiences.ts';
import type { answers } from './parser-worker.ts';

/** Reads uploads of people in a thread of its own. */
export function openPeopleReader(): UploadParser {
  const thread = openThread<typeof answers>(new URL('./parser-worker.ts', import.meta.url), { niceness: 5 });
  return {
    read: (body, now_s, rules) => thread.call('read', { body, now_s, rules }, [body.buffer]),
    close: thread.close,
  };
}
