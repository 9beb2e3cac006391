import { answerCalls, transferring } from '../../../base/threads.ts';
import type { ParsedUpload, UploadErrors, UploadRules } from '../../../contract/store/audiences.ts';
import { readUsual } from './fast-path.ts';
import { readCarefully } from './full-parser.ts';

/** What the thread that reads uploads of people can do. */
export const answers = {
  read(asked: {
    readonly body: Uint8Array<ArrayBuffer>;
    readonly now_s: number;
    readonly rules: UploadRules;
  }): ParsedUpload | UploadErrors {
    const { body, now_s, rules } = asked;
    const read = readUsual(body, now_s, rules) ?? readCarefully(body, now_s, rules);
    // Five million bytes at a time are not left to the collector.
    body.buffer.transfer(0);
    return 'payload' in read ? transferring(read, [read.payload.buffer]) : read;
  },
};

answerCalls(answers);
