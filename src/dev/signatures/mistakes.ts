import type { RequestSecrets, SentRequest } from './sent-request.ts';
import type { Signing } from './signing.ts';

/** The request that a mistake is applied to. */
export interface MistakeContext {
  readonly sent: SentRequest;
  readonly secrets: RequestSecrets;
}

/** A mistake in a reply. */
export interface NamedMistake {
  /** Identifies it in replies, in kebab case. */
  readonly name: string;
  /** The mistake of the client: a sentence. */
  readonly text: string;
  /** The right way: a sentence. */
  readonly remedy: string;
}

/** A mistake that clients are known to make when they sign. */
export interface Mistake extends NamedMistake {
  /** At most one mistake of a group is made at a time. */
  readonly group: 'method' | 'origin' | 'path' | 'parameters' | 'order' | 'encoding' | 'base string' | 'key' | 'digest';
  /** The ways of signing that result from making the mistake as well; none if it makes no difference. */
  apply(signing: Signing, context: MistakeContext): readonly Signing[];
}

/** The mistakes of a group by name, each with the ways of signing that it leads to. */
export function mistakesOf(
  group: Mistake['group'],
  byName: Readonly<Record<string, readonly [text: string, remedy: string, apply: Mistake['apply']]>>,
): Mistake[] {
  return Object.entries(byName).map(([name, [text, remedy, apply]]) => ({ name, group, text, remedy, apply }));
}
