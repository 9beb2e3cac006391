import { openThread } from '../../../base/threads.ts';
import type { UploadParser } from '../../../contract/store/audiences.ts';
import type { calls } from './parser-worker.ts';

/** Creates a parser of uploads with its own thread. */
export function openUploadParser(): UploadParser {
  const thread = openThread<typeof calls>(new URL('./parser-worker.ts', import.meta.url), { niceness: 5 });
  return {
    read: (body, now_s, rules) => thread.call('read', { body, now_s, rules }, [body.buffer]),
    close: thread.close,
  };
}
