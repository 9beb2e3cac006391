import { applicationOf } from '../../../contract/declare/callers.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import type { Call } from '../../../contract/declare/operation.ts';
import { type Problem, problem } from '../../../contract/problems/problems.ts';
import type { Webhook } from '../../../contract/store/webhooks.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';

/** The common part of the operations on webhooks. */
export const WEBHOOK_CALL = {
  group: 'webhooks',
  family: 'problem',
  credential: 'bearer',
  rate: 'webhooks',
  parameters: {},
  body: 'form',
  shape: 'bare',
} as const;

/**
 * The webhook that a path names.
 * @throws WEBHOOK_NOT_FOUND
 */
export async function findOwnWebhook(tx: Pick<ReadTransaction, 'webhooks'>, { caller, path }: Call): Promise<Webhook> {
  const id = path.webhook_id!;
  const webhook = isLongId(id) ? await tx.webhooks.find(id) : undefined;
  if (webhook?.application_id === applicationOf(caller)) return webhook;
  throw webhookNotFound(id);
}

/** The problem of a webhook that the application does not own. */
export function webhookNotFound(id: string): Problem {
  return problem('WEBHOOK_NOT_FOUND', { parameter: 'webhook_id', value: id, words: { kind: 'webhook' } });
}
