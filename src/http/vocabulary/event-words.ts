import type { Sender } from '../../contract/services/sending.ts';
import type { StreamHandle } from '../../contract/services/streams.ts';
import type { ChallengeNames } from '../../contract/store/webhooks.ts';
import type { OperationWords, Vocabulary } from './vocabulary.ts';

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

/** A sender whose requests have headers with foreign names. */
export function withHeaderNames(sender: Sender, headerName: (own: string) => string): Sender {
  return {
    urlError: (url) => sender.urlError(url),
    close: () => sender.close(),
    send: (request) => {
      const headers = Object.entries(request.headers).map(([name, value]) => [headerName(name), value] as const);
      return sender.send({ ...request, headers: Object.fromEntries(headers) });
    },
  };
}

/** The names of what challenges of webhooks contain. */
export function challengeNamesOf(vocabulary: Vocabulary | undefined): ChallengeNames {
  const { parameter, member } = vocabulary?.naming ?? { parameter: String, member: String };
  return { crc_token: parameter('crc_token'), nonce: parameter('nonce'), response_token: member('response_token') };
}
