import Type from 'typebox';
import type { Operation } from '../../contract/operation.ts';

/**
 * Revokes the access token that signs the call. Parameters are ignored, though signed.
 * @source authentication: POST /1.1/oauth/invalidate_token; authentication gaps 9
 */
export const revokeToken: Operation = {
  id: 'oauth.invalidate_token',
  method: 'POST',
  path: '/1.1/oauth/invalidate_token',
  about: 'Revoke the access token that signs the call.',
  group: 'oauth',
  family: 'numeric',
  rate: 'revocations',
  isTokenStep: true,
  aliases: ['/1.1/oauth/invalidate_token.json'],
  parameters: {},
  body: 'form',
  shape: 'bare',
  reply: Type.Object({ access_token: Type.String() }, { additionalProperties: false }),
  problems: [],
  async perform(call) {
    const { token, tokenId } = call.principal;
    await call.services.store.write(async (tx) => {
      await tx.credentials.revokeToken(tokenId, call.now);
      tx.touch(`token:${tokenId}`);
    });
    return { data: JSON.stringify({ access_token: token }) };
  },
};
