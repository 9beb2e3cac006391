import { hash } from 'node:crypto';
import type { Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';

/** How long a link that signs an operator in is valid. @source decision 1005 */
export const OPERATOR_LINK_S = 600;

const CONTEXT = 'operator.link';
const NAME = /^[\w.@-]{1,64}$/;

/** Why a text cannot be the name of an operator; undefined if it can. */
export function operatorNameError(name: string): string | undefined {
  return NAME.test(name) ? undefined : 'the name of an operator has 1 to 64 letters, digits and any of . _ - @';
}

/** The token of a link with which somebody signs in to the operator console, once. `now` is in Unix milliseconds. */
export function operatorLinkToken(box: SecretBox, random: Random, name: string, now: number): string {
  const until_s = Math.floor(now / 1000) + OPERATOR_LINK_S;
  return box.seal(JSON.stringify([name, until_s, random.bytes(9).toString('base64url')]), CONTEXT);
}

/** Opens links, each once. */
export interface OperatorLinks {
  /** The name of the operator; undefined for what is no link, or one that is used or too old. */
  open(token: string): string | undefined;
}

/** Opens the links of this process. @param clock Unix milliseconds */
export function operatorLinks(box: SecretBox, clock: { now(): number }): OperatorLinks {
  const used = new Map<string, number>();
  return {
    open(token) {
      const now_s = clock.now() / 1000;
      for (const [id, until_s] of used) if (until_s < now_s) used.delete(id);
      let content: readonly [name: string, until_s: number, salt: string];
      try {
        content = JSON.parse(box.open(token, CONTEXT));
      } catch {
        return undefined;
      }
      const [name, until_s] = content;
      const id = hash('sha256', token);
      if (until_s < now_s || used.has(id)) return undefined;
      used.set(id, until_s);
      return name;
    },
  };
}
