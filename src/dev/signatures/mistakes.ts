import type { RequestSecrets, SentRequest } from './sent-request.ts';
import type { Signing } from './signing.ts';

/** What a mistake is applied to. */
export interface MistakeContext {
  readonly sent: SentRequest;
  readonly secrets: RequestSecrets;
}

/** A mistake as it is told. */
export interface NamedMistake {
  /** Identifies it in replies, in kebab case. */
  readonly name: string;
  /** What the client did: a sentence. */
  readonly text: string;
  /** What it should do instead: a sentence. */
  readonly remedy: string;
}

/** A mistake that clients are known to make when they sign. */
export interface Mistake extends NamedMistake {
  /** At most one mistake of a group is made at a time. */
  readonly group: 'method' | 'origin' | 'path' | 'parameters' | 'order' | 'encoding' | 'base string' | 'key' | 'digest';
  /** The ways of signing that result from making the mistake as well; none if it makes no difference. */
  apply(signing: Signing, context: MistakeContext): readonly Signing[];
}
