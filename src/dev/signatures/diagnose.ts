import { decode } from '../../base/percent.ts';
import { type Mistake, type MistakeContext, mistakeNamed, type NamedMistake } from './mistakes.ts';
import { withoutSecrets } from './redact.ts';
import { parameterMistakes, urlMistakes } from './request-mistakes.ts';
import { parametersOf, type RequestSecrets, rightSignings, type SentRequest } from './sent-request.ts';
import { baseStringOf, type SentParameter, type Signing, signatureOf } from './signing.ts';
import { CONFUSED_SECRET, encodingMistakes, keyMistakes } from './signing-mistakes.ts';

/** Every mistake that the debugger tries, the most frequent groups first. */
export const MISTAKES: readonly Mistake[] = [...keyMistakes, ...urlMistakes, ...parameterMistakes, ...encodingMistakes];

/** The mistakes in a signature. */
export interface Diagnosis {
  /** `right`: the signature is right. `mistakes`: these together reproduce it. `unknown`: nothing that was tried does. */
  readonly outcome: 'right' | 'mistakes' | 'unknown' | 'unreadable';
  readonly mistakes: readonly NamedMistake[];
  /** Why the request could not be read. */
  readonly detail?: string;
  /** The normalised parameters and the base string that the server expects. */
  readonly expected?: BaseStringParts;
  /** The same as the client made them, if they are known and differ. */
  readonly signed?: BaseStringParts;
  /** Where the base strings differ first. */
  readonly firstDifference?: { readonly at: number; readonly expected: string; readonly signed: string };
  /**
   * The right signature. Only where the one that was sent was made with the right secrets: its sender could have
   * made this one too.
   * @source decision 860
   */
  readonly expectedSignature?: string;
}

/** The text that is signed, and its part with the parameters. */
export interface BaseStringParts {
  readonly parameterString: string;
  readonly baseString: string;
}

/** How many signatures are computed at most. */
const TRIES_MAX = 20_000;
/** How many mistakes are made at once at most. */
const DEPTH_MAX = 3;
/** Characters that are shown from the first difference on. */
const EXCERPT = 40;

interface Candidate {
  readonly signing: Signing;
  readonly mistakes: readonly Mistake[];
  /** Mistakes before this one in the list have been tried with it. */
  readonly next: number;
}

/**
 * Finds the mistakes that reproduce the signature of a request: one of them first, then two, then three together. Never
 * returns a secret.
 */
export function diagnose(sent: SentRequest, secrets: RequestSecrets, triesMax = TRIES_MAX): Diagnosis {
  const { consumerSecret, tokenSecret, others } = secrets;
  return withoutSecrets(judge(sent, secrets, triesMax), [
    ...[consumerSecret, tokenSecret],
    ...others.map(({ secret }) => secret),
  ]);
}

function judge(sent: SentRequest, secrets: RequestSecrets, triesMax: number): Diagnosis {
  const parameters = parametersOf(sent);
  if ('reason' in parameters) return { outcome: 'unreadable', mistakes: [], detail: parameters.detail };
  const signature = parameters.find(({ name }) => name === 'oauth_signature')?.value;
  if (signature === undefined) return { outcome: 'unreadable', mistakes: [], detail: 'oauth_signature is missing' };
  const right = rightSignings(sent, parameters, secrets);
  const found = search(right, spellingsOf(signature), { sent, secrets }, triesMax);
  const expected = partsOf(right[0]!);
  if (!found) return { outcome: 'unknown', mistakes: [], expected };
  const mistakes = [...found.mistakes, ...found.spelling].map((each) => withOwners(each, found.signing, secrets));
  if (mistakes.length === 0) return { outcome: 'right', mistakes, expected };
  const signed = partsOf(found.signing);
  const hasKey = !found.mistakes.some(({ group }) => group === 'key');
  return {
    outcome: 'mistakes',
    mistakes,
    expected,
    ...(hasKey && { expectedSignature: signatureOf(right[0]!, expected.baseString) }),
    ...(signed.baseString !== expected.baseString && {
      signed,
      firstDifference: differenceOf(expected.baseString, signed.baseString),
    }),
  };
}

/** The right base string of a request. */
export function expectedOf(sent: SentRequest, parameters: readonly SentParameter[]): BaseStringParts {
  return partsOf(rightSignings(sent, parameters, NOBODY)[0]!);
}

const NOBODY: RequestSecrets = {
  name: '',
  consumerKey: '',
  consumerSecret: '',
  token: '',
  tokenSecret: '',
  others: [],
};

function partsOf(signing: Signing): BaseStringParts {
  const { parameterString, text } = baseStringOf(signing);
  return { parameterString, baseString: text };
}

/** A mistake with the owners of the secret, where that of something else was used. */
function withOwners({ name, text, remedy }: NamedMistake, { key }: Signing, { others }: RequestSecrets): NamedMistake {
  if (name !== CONFUSED_SECRET) return { name, text, remedy };
  const parts = key.split('&').map((part) => decode(part, false));
  const owners = others.filter(({ secret }) => parts.includes(secret)).map(({ owner }) => owner);
  return { name, text: `${text.slice(0, -1)}: ${[...new Set(owners)].join(', ')}.`, remedy };
}

/** Signatures that the client may have meant, each with the mistake in sending it. */
function spellingsOf(signature: string): Map<string, readonly NamedMistake[]> {
  const spellings = new Map<string, readonly NamedMistake[]>([[signature, []]]);
  const decoded = /%[\da-f]{2}/i.test(signature)
    ? decodeURIComponent(signature.replace(/%(?![\da-f]{2})/gi, '%25'))
    : signature;
  if (decoded !== signature) spellings.set(decoded, [mistakeNamed('signature-encoded-twice')]);
  if (signature.includes(' ')) {
    spellings.set(signature.replaceAll(' ', '+'), [mistakeNamed('signature-not-encoded')]);
  }
  if (/\s$|^\s/.test(signature)) spellings.set(signature.trim(), [mistakeNamed('signature-with-space')]);
  return spellings;
}

interface Found {
  readonly signing: Signing;
  readonly mistakes: readonly Mistake[];
  readonly spelling: readonly NamedMistake[];
}

function search(
  right: readonly Signing[],
  spellings: ReadonlyMap<string, readonly NamedMistake[]>,
  context: MistakeContext,
  triesMax: number,
): Found | undefined {
  // By base string, the ways in which it was signed.
  const tried = new Map<string, Set<string>>();
  let tries = 0;
  const attempt = ({ signing, mistakes }: Candidate): Found | undefined => {
    const { text } = baseStringOf(signing);
    const way = `${signing.digest} ${signing.encoding} ${signing.key}`;
    const ways = tried.get(text) ?? new Set();
    if (ways.has(way)) return undefined;
    tried.set(text, ways.add(way));
    tries += 1;
    const spelling = spellings.get(signatureOf(signing, text));
    return spelling && { signing, mistakes, spelling };
  };
  let level: Candidate[] = right.map((signing) => ({ signing, mistakes: [], next: 0 }));
  for (const candidate of level) {
    const found = attempt(candidate);
    if (found) return found;
  }
  for (let depth = 1; depth <= DEPTH_MAX; depth++) {
    const deeper: Candidate[] = [];
    for (const { signing, mistakes, next } of level) {
      const groups = new Set(mistakes.map(({ group }) => group));
      for (let index = next; index < MISTAKES.length; index++) {
        const mistake = MISTAKES[index]!;
        if (groups.has(mistake.group)) continue;
        for (const change of mistake.apply(signing, context)) {
          const candidate = { signing: { ...signing, ...change }, mistakes: [...mistakes, mistake], next: index + 1 };
          if (tries >= triesMax) return undefined;
          const before = tries;
          const found = attempt(candidate);
          if (found) return found;
          if (tries === before) continue;
          deeper.push(candidate);
        }
      }
    }
    level = deeper;
  }
  return undefined;
}

function differenceOf(expected: string, signed: string): NonNullable<Diagnosis['firstDifference']> {
  let at = 0;
  while (at < expected.length && expected[at] === signed[at]) at += 1;
  // An escape is shown whole.
  const from = Math.max(0, expected.lastIndexOf('%', at) >= at - 2 ? expected.lastIndexOf('%', at) : at);
  return { at, expected: expected.slice(from, from + EXCERPT), signed: signed.slice(from, from + EXCERPT) };
}
