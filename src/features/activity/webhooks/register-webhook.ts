import { addSeconds, formatInstant } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { limitOf } from '../../../contract/declare/application-limits.ts';
import { applicationOf } from '../../../contract/declare/callers.ts';
import { field, text } from '../../../contract/declare/fields.ts';
import type { Call, Operation, Parameters } from '../../../contract/declare/operation.ts';
import { LONG_IDS_FROM } from '../../../contract/declare/resource.ts';
import { type Problem, problem } from '../../../contract/problems/problems.ts';
import { ConstraintViolated } from '../../../contract/store/errors.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import { WEBHOOK_JOBS, type Webhook } from '../../../contract/store/webhooks.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { WEBHOOK_CALL } from './find-webhook.ts';
import { serializeWebhook, webhookSchema } from './serialize-webhook.ts';
import { newWebhookSecret } from './signing.ts';
import { challengeUrl, requireSuccess, VALID_FOR_S } from './validity.ts';

/** Any text, so that a URL that is too long is reported as WEBHOOK_URL_INVALID, which clients look for. */
const address = field<string>({
  ...text({ max: 2048 }).kind,
  schema: Type.String({ minLength: 1, maxLength: 200, pattern: '^https?://' }),
});

const MEMBERS = {
  url: address.required().describe('An https URL with a host name and no port; 1 to 200 characters.'),
} as const satisfies Parameters;

/**
 * Registers a URL for events, once it has answered a challenge.
 * @source activity 19.1 to 19.3
 */
export const registerWebhook: Operation = {
  id: 'webhooks.create',
  method: 'POST',
  path: '/2/webhooks',
  description: 'Register a URL for events. It is challenged at once and must answer correctly.',
  ...WEBHOOK_CALL,
  groupDescription: 'URLs of an application that receive events.',
  body: 'members',
  bodyMembers: MEMBERS,
  reply: Type.Closed({ data: webhookSchema }),
  problems: ['WEBHOOK_URL_INVALID', 'WEBHOOK_EXISTS', 'TOO_MANY_WEBHOOKS', 'WEBHOOK_CRC_FAILED'],
  async perform(call) {
    const { services, caller, input } = call;
    const { store, ids, box, secrets, clock } = services;
    const url = input.url as string;
    const error = services.activity.sender.urlError(url);
    if (error) throw problem('WEBHOOK_URL_INVALID', { parameter: 'url', words: { raw: url, why: error.message } });
    const application = applicationOf(caller);
    const url_form = new URL(url).href;
    await store.read((tx) => checkAvailable(tx, call, { application, url, url_form }));
    requireSuccess(await challengeUrl(services, application, url), { parameter: 'url', raw: url });
    const [id] = (await ids.takeLong('webhook', LONG_IDS_FROM, 1)) as [string];
    // The challenge may have taken seconds.
    const now = formatInstant(clock.now());
    const webhook: Webhook = {
      id,
      application_id: application,
      url,
      url_form,
      valid: 1,
      created_at: now,
      validated_at: now,
      failing_since: null,
      failure: null,
      secret: box.seal(newWebhookSecret(secrets), secretContext.webhook(id)),
      former_secret: null,
      former_until: null,
    };
    const event = { event: 'webhook_created', application_id: application, webhook_id: id } as const;
    try {
      await store.write(async (tx) => {
        await tx.credentials.lockApplication(application);
        await checkAvailable(tx, call, { application, url, url_form });
        await tx.webhooks.add(webhook, await tx.events.findLast());
        const run_at = addSeconds(now, VALID_FOR_S);
        await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key: id, run_at });
        await call.recordAudit(tx, event);
      });
    } catch (error) {
      if (error instanceof ConstraintViolated) throw webhookExists(url);
      throw error;
    }
    call.audit(event);
    return { data: `{"data":${serializeWebhook(webhook)}}` };
  },
};

const webhookExists = (url: string): Problem => problem('WEBHOOK_EXISTS', { parameter: 'url', words: { raw: url } });

/**
 * Checks that the URL is not registered yet and the limit is not reached.
 * @throws WEBHOOK_EXISTS, TOO_MANY_WEBHOOKS
 * @source decision 385
 */
async function checkAvailable(
  tx: ReadTransaction,
  { services }: Call,
  { application, url, url_form }: { readonly application: string; readonly url: string; readonly url_form: string },
): Promise<void> {
  const there = await tx.webhooks.list(application);
  if (there.some((each) => each.url_form === url_form)) throw webhookExists(url);
  const max = await limitOf(tx, services.activity.applicationLimits, application, 'webhooks');
  if (there.length >= max) throw problem('TOO_MANY_WEBHOOKS', { words: { max } });
}
