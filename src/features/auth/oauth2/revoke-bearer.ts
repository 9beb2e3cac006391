import { Type } from '../../../base/json-schema.ts';
import { applicationOf, type Caller } from '../../../contract/declare/callers.ts';
import { text } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { BearerToken } from '../../../contract/store/grants.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { unsealBearer } from './bearer-tokens.ts';
import { bearerHash, formSpellings } from './bearer-value.ts';

/**
 * Revokes a bearer token permanently, for the owner of the application by a signed request, or for the application
 * itself by key and secret.
 * @source authentication 0.15, 10.3; decision 82
 */
export const revokeBearerOperation: Operation = {
  id: 'oauth2.invalidate_token',
  method: 'POST',
  path: '/oauth2/invalidate_token',
  description: 'Revoke the bearer token of the application.',
  group: 'oauth2',
  family: 'numeric',
  credential: 'owner-or-basic',
  rate: 'bearer_revocations',
  allowsReadOnlyToken: true,
  parameters: { access_token: text({ max: 2048 }).required().describe('The token to revoke, percent-encoded or not.') },
  body: 'form',
  shape: 'bare',
  reply: Type.Closed({ access_token: Type.String() }),
  problems: ['BEARER_NOT_OWN', 'BEARER_INVALID'],
  async perform({ caller, services, input, now, audit, recordAudit }) {
    const { event, access_token } = await services.store.write(async (tx) => {
      const application = await ownApplication(tx, caller);
      const bearer = await named(tx, input.access_token as string);
      if (!bearer?.outstanding) throw problem('BEARER_INVALID', {}, 'no such token, or revoked before');
      if (bearer.application_id !== application) throw problem('BEARER_NOT_OWN', {}, 'of another application');
      if (!(await tx.bearerTokens.revoke(bearer.id, now))) throw problem('BEARER_INVALID', {}, 'revoked just now');
      tx.invalidate(`bearer:${bearer.id}`);
      const event: AuditedEvent = {
        event: 'bearer_revoked',
        user_id: caller.kind === 'user' ? caller.user : undefined,
        application_id: applicationOf(caller),
        token_id: bearer.id,
      };
      await recordAudit(tx, event);
      return { event, access_token: unsealBearer(bearer, services.box) };
    });
    audit(event);
    return { data: JSON.stringify({ access_token }) };
  },
};

/** The id of the calling application; a calling user must own it. */
async function ownApplication(tx: ReadTransaction, caller: Caller): Promise<string> {
  if (caller.kind !== 'user') return applicationOf(caller);
  const application = await tx.credentials.findApplication(caller.application);
  if (application?.owner_user_id !== caller.user) throw problem('BEARER_NOT_OWN', {}, 'not the owner');
  return application.id;
}

async function named(tx: ReadTransaction, value: string): Promise<BearerToken | undefined> {
  const rows = [];
  for (const form of formSpellings(value)) rows.push(await tx.bearerTokens.findByHash(bearerHash(form)));
  return rows.find((row) => row !== undefined);
}
