import type { Api } from './api.ts';

/** A check of one sentence of the protocol. It fails by throwing, and is skipped by `Skipped`. */
export interface Rule {
  /** The id of the sentence: `authentication 2.4.1`. */
  readonly id: string;
  readonly check: (api: Api) => Promise<void>;
}

/** Ties a check to a sentence. */
export function rule(id: string, check: (api: Api) => Promise<void>): Rule {
  return { id, check };
}

/** Thrown where a key or a role is missing; the message is the reason. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
