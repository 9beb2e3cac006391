import type { Sender } from '../../contract/services/sending.ts';
import type { StreamHandle } from '../../contract/services/streams.ts';
import type { ChallengeNames } from '../../contract/store/webhooks.ts';
import type { OperationWords, Vocabulary } from './vocabulary.ts';

const LINE_END = '\r\n';

/** Translates the last line of a stream. Events are already translated, as they are serialized once for all streams. */
export function translateStream(stream: StreamHandle, words: OperationWords): StreamHandle {
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

/** Wraps a sender so that its requests have foreign header names. */
export function withForeignHeaders(sender: Sender, headerName: (own: string) => string): Sender {
  return {
    urlError: (url) => sender.urlError(url),
    close: () => sender.close(),
    send: (request) => {
      const headers = Object.entries(request.headers).map(([name, value]) => [headerName(name), value] as const);
      return sender.send({ ...request, headers: Object.fromEntries(headers) });
    },
  };
}

/** Returns the parameter names of webhook challenges. */
export function challengeNamesOf(vocabulary: Vocabulary | undefined): ChallengeNames {
  const { parameter, member } = vocabulary?.naming ?? { parameter: String, member: String };
  return { crc_token: parameter('crc_token'), nonce: parameter('nonce'), response_token: member('response_token') };
}
