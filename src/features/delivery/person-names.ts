import { createHmac } from 'node:crypto';
import type { SecretBox } from '../../base/secret-box.ts';
import type { Environment } from '../../contract/declare/account-state.ts';

/** Pseudonyms of people in stored deliveries. They cannot be reversed, and keys of publishers are specific to each publisher. */
export type PersonNames = ReturnType<typeof personNames>;

const NAME_BYTES = 16;

/** Creates the pseudonyms of an environment, under a key derived from the master key. @source decision 981 */
export function personNames(box: SecretBox, environment: Environment) {
  const { key } = box.derive(`delivery people ${environment}`)!;
  const nameOf = (text: string): string =>
    createHmac('sha256', key).update(text).digest().subarray(0, NAME_BYTES).toString('base64url');
  return {
    ofUser: (id: string) => nameOf(`user\n${id}`),
    ofKey: (publisher: string, name: string) => nameOf(`key\n${publisher}\n${name}`),
  };
}
