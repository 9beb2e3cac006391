import type { StreamHandle } from '../../contract/services/streams.ts';
import type { OperationWords } from './vocabulary.ts';

const LINE_END = '\r\n';

/** A stream whose last line has the words of the caller. Events have them already: they are serialized once for all. */
export function inWords(stream: StreamHandle, words: OperationWords): StreamHandle {
  return {
    begin: (outlet) =>
      stream.begin({
        send: (bytes) => outlet.send(bytes),
        get waiting_bytes() {
          return outlet.waiting_bytes;
        },
        finish: (last) =>
          outlet.finish(last && Buffer.from(words.replyOut(Buffer.from(last).toString().trim()) + LINE_END)),
      }),
    drained: () => stream.drained(),
    disconnected: () => stream.disconnected(),
  };
}
