import type { Sender } from '../../contract/services/sending.ts';
import type { ChallengeNames } from '../../contract/store/webhooks.ts';
import type { Vocabulary } from './vocabulary.ts';

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
