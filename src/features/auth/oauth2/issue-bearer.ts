import { Type } from '../../../base/json-schema.ts';
import { callerOf } from '../../../contract/declare/callers.ts';
import { field } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';

const GRANT = 'client_credentials';

/** The only grant type. Every other value is refused like wrong credentials. */
const grantType = field<string>({
  name: 'text',
  column: 'text',
  schema: Type.Literal(GRANT),
  problems: ['GRANT_TYPE_UNKNOWN'],
  toJson: JSON.stringify,
  read: (raw, parameter) => (raw === GRANT ? GRANT : { problem: 'GRANT_TYPE_UNKNOWN', parameter }),
});

/**
 * Returns the bearer token of an application: the outstanding one, or a new one when there is none.
 * @source authentication 0.14, 10.1
 */
export const issueBearerOperation: Operation = {
  id: 'oauth2.token',
  method: 'POST',
  path: '/oauth2/token',
  description: 'Get the bearer token of the application. It stays the same until it is revoked.',
  group: 'oauth2',
  groupDescription: 'Bearer tokens, with which an application acts for itself (OAuth 2.0 application-only).',
  family: 'numeric',
  credential: 'basic',
  rate: 'bearer_tokens',
  rateProblem: 'CLIENT_TOO_OFTEN',
  parameters: { grant_type: grantType.describe('Required in a form body.') },
  body: 'form',
  formOnly: true,
  shape: 'bare',
  reply: Type.Closed({ token_type: Type.Literal('bearer'), access_token: Type.String({ pattern: '^A{22}' }) }),
  problems: ['GRANT_TYPE_MISSING'],
  async perform({ caller, services, input, now, audit, recordAudit }) {
    if (input.grant_type == null) throw problem('GRANT_TYPE_MISSING', { parameter: 'grant_type' });
    const { application } = callerOf(caller, 'application');
    const events: AuditedEvent[] = [];
    const { value, isNew } = await services.auth.bearerTokens(application.id, now, async (tx, token_id) => {
      events.push({ event: 'bearer_issued', application_id: application.id, token_id });
      await recordAudit(tx, events.at(-1)!);
    });
    // When another caller was faster, this call has issued nothing.
    if (isNew) audit(events.at(-1)!);
    return { data: JSON.stringify({ token_type: 'bearer', access_token: value }) };
  },
};
