import type { Command } from 'commander';
import { secureRandom } from '../../base/random.ts';
import type { SendResult } from '../../contract/services/sending.ts';
import { checkResponse, createChallenge, failureText } from '../../features/activity/webhooks/challenge.ts';
import { urlError } from '../../http/sending/address-rules.ts';
import { openSender } from '../../http/sending/sender.ts';
import { profileFrom } from '../connection-profile.ts';
import { UsageError } from '../failure.ts';
import { print } from '../output.ts';

/** Maximum number of printed characters of a body. */
const BODY_CHARACTERS_MAX = 2000;

/**
 * Runs the challenge on a URL and prints everything; returns the exit code.
 * @source activity 19.3; decision 386
 */
export async function checkWebhook(command: Command, url: string): Promise<number> {
  const { consumer_secret: consumerSecret } = profileFrom(command).keys;
  // The operator of this command can reach this machine anyway.
  const sender = openSender({ allowsPrivate: true, privateRanges: [], proxy: '', ownOrigins: () => [] });
  const error = sender.urlError(url);
  if (error) throw new UsageError(error.message);
  const challenge = createChallenge({ url, consumerSecret, random: secureRandom });
  const sent = await sender.send(challenge.request);
  await sender.close();
  const verdict = checkResponse(challenge, consumerSecret, sent);
  const strict = urlError(url, { allowsPrivate: false, ownOrigins: () => [] });
  const { method, url: full, headers } = challenge.request;
  const lines = [
    `sent      ${method} ${full}`,
    ...Object.entries(headers).map(([name, value]) => `          ${name}: ${value}`),
    `expected  200 {"response_token":"${challenge.expected}"}`,
    ...receivedLines(sent),
    verdict.outcome === 'passed' ? 'verdict   right' : `verdict   wrong: ${failureText(verdict)}`,
    ...(strict ? [`note      in production ${strict.message}`] : []),
  ];
  print(lines.map((line) => `${line}\n`).join(''));
  return verdict.outcome === 'passed' ? 0 : 1;
}

function receivedLines(sent: SendResult): string[] {
  const from = sent.addresses.length > 0 ? ` from ${sent.addresses.join(', ')}` : '';
  if (sent.outcome === 'failed') return [`received  nothing${from} after ${sent.duration_ms} ms: ${sent.reason}`];
  const body = printable(Buffer.from(sent.body).toString());
  return [
    `received  ${sent.status}${from} after ${sent.duration_ms} ms`,
    ...Object.entries(sent.headers).map(([name, value]) => `          ${name}: ${printable(value)}`),
    `          ${body === '' ? '(no body)' : body}`,
  ];
}

/** Removes control characters from a receiver's response. */
function printable(text: string): string {
  const start = text.length > BODY_CHARACTERS_MAX ? `${text.slice(0, BODY_CHARACTERS_MAX)}...` : text;
  return start.replace(/[^\P{C}\n]/gu, '?');
}
