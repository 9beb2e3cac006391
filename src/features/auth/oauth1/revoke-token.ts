import { Type } from '../../../base/json-schema.ts';
import type { Operation } from '../../../contract/declare/operation.ts';

/**
 * Revokes the access token that signs the call. Parameters are ignored, but part of the signature.
 * @source authentication 0.13, 9
 */
export const revokeToken: Operation = {
  id: 'oauth.invalidate_token',
  method: 'POST',
  path: '/1.1/oauth/invalidate_token',
  description: 'Revoke the access token that signed the request.',
  group: 'oauth',
  family: 'numeric',
  rate: 'revocations',
  allowsReadOnlyToken: true,
  aliases: ['/1.1/oauth/invalidate_token.json'],
  parameters: {},
  body: 'form',
  shape: 'bare',
  reply: Type.Closed({ access_token: Type.String() }),
  problems: [],
  async perform(call) {
    const { token, tokenId, user, application } = call.principal;
    const event = { event: 'token_revoked', user_id: user, application_id: application, token_id: tokenId } as const;
    const isRevoked = await call.services.store.write(async (tx) => {
      tx.invalidate(`token:${tokenId}`);
      // Only one of two simultaneous calls revokes the token.
      if (!(await tx.credentials.revokeToken(tokenId, call.now))) return false;
      await call.recordAudit(tx, event);
      return true;
    });
    if (isRevoked) call.audit(event);
    return { data: JSON.stringify({ access_token: token }) };
  },
};
