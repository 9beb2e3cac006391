import { type Diagnosis, diagnose } from './diagnose.ts';
import { findSecrets, type KnownApplication } from './known-keys.ts';
import type { NamedMistake } from './mistakes.ts';
import { protocolMistakes, type TimeRules } from './protocol-mistakes.ts';
import { parametersOf, type SentRequest } from './sent-request.ts';

/** What is wrong with the credentials of a request. */
export interface Explanation extends Diagnosis {
  /** The one sentence that helps most. */
  readonly summary: string;
}

/** What a request sent as key and token; empty where it sent none. */
export function keysOf(sent: SentRequest): { readonly consumerKey: string; readonly token: string } {
  const parameters = parametersOf(sent);
  const value = (name: string): string =>
    'reason' in parameters ? '' : (parameters.find((each) => each.name === name)?.value ?? '');
  return { consumerKey: value('oauth_consumer_key'), token: value('oauth_token') };
}

/**
 * Explains why a signed request is refused: what is wrong with its key and token, its protocol parameters, and its
 * signature.
 * @param triesMax how many signatures are computed at most.
 */
export function explain(
  sent: SentRequest,
  known: readonly KnownApplication[],
  rules: TimeRules,
  triesMax?: number,
): Explanation {
  const parameters = parametersOf(sent);
  if ('reason' in parameters) return summed({ outcome: 'unreadable', mistakes: [], detail: parameters.detail });
  const { consumerKey, token } = keysOf(sent);
  const { secrets, mistakes } = findSecrets(known, consumerKey, token);
  const others: readonly NamedMistake[] = [...mistakes, ...protocolMistakes(parameters, rules)];
  if (!secrets) return summed({ outcome: 'mistakes', mistakes: others });
  const diagnosis = diagnose(sent, secrets, triesMax);
  if (others.length === 0) return summed(diagnosis);
  const outcome = diagnosis.outcome === 'right' ? 'mistakes' : diagnosis.outcome;
  return summed({ ...diagnosis, outcome, mistakes: [...others, ...diagnosis.mistakes] });
}

function summed(diagnosis: Diagnosis): Explanation {
  const { outcome, mistakes, detail } = diagnosis;
  const [first] = mistakes;
  if (first) return { ...diagnosis, summary: `${first.text} ${first.remedy}` };
  if (outcome === 'right') return { ...diagnosis, summary: 'The signature is right.' };
  if (outcome === 'unreadable') return { ...diagnosis, summary: `The credentials cannot be read: ${detail}.` };
  return { ...diagnosis, summary: 'The signature is wrong, and no known mistake reproduces it.' };
}
