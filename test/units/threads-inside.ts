import { answerCalls, transferring } from '../../src/base/threads.ts';

let count = 0;

/** What the thread of the test can do. */
export const answers = {
  slow: async (text: string) => {
    await new Promise((resolve) => setImmediate(resolve));
    return `${++count} ${text}`;
  },
  fast: (text: string) => `${++count} ${text}`,
  increased(bytes: Uint8Array<ArrayBuffer>) {
    const more = bytes.map((byte) => byte + 1);
    return transferring(more, [more.buffer]);
  },
  failing(reason: string): string {
    throw new Error(reason);
  },
  environment: () => ({ ...process.env }),
  crash: (code: number): void => process.exit(code),
};

answerCalls(answers);
