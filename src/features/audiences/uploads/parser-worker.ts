import { answerCalls, transferring } from '../../../base/threads.ts';
import type { ParsedUpload, UploadErrors, UploadRules } from '../../../contract/store/audiences.ts';
import { parseFast } from './fast-path.ts';
import { parseFully } from './full-parser.ts';

/** The calls of the thread that parses uploads. */
export const calls = {
  read(upload: {
    readonly body: Uint8Array<ArrayBuffer>;
    readonly now_s: number;
    readonly rules: UploadRules;
  }): ParsedUpload | UploadErrors {
    const { body, now_s, rules } = upload;
    const read = parseFast(body, now_s, rules) ?? parseFully(body, now_s, rules);
    // Released at once: bodies of 5 MB would pile up until the garbage collector runs.
    body.buffer.transfer(0);
    return 'payload' in read ? transferring(read, [read.payload.buffer]) : read;
  },
};

answerCalls(calls);
