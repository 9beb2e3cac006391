import { html } from 'ghtml';
import { formatInstant } from '../../../base/instants.ts';
import type { Application } from '../../../contract/credentials.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/pages.ts';
import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts';
import { accountDocument, hidden, noticeOf } from '../layout.ts';
import { refusal } from '../refusals.ts';
import { DEVELOPER, type DeveloperParts, forOwner, registering } from './ground.ts';
import { secretsPage } from './secrets.ts';

/** Deliveries of a webhook that are shown. */
const SHOWN = 20;

/** `/developer/apps/:id/webhooks`: the webhooks of an application, and what was sent to them. @source activity gaps 19.4 and 21.5 */
export function webhooksPage(parts: DeveloperParts): Page {
  return {
    path: `${DEVELOPER}/:id/webhooks`,
    methods: ['GET', 'POST'],
    answer: (visit) =>
      forOwner(parts, visit, (application) =>
        visit.method === 'GET' ? shown(parts, visit, application) : done(parts, visit, application),
      ),
  };
}

interface Standing {
  readonly webhook: Webhook;
  readonly deliveries: readonly WebhookDelivery[];
}

async function shown(parts: DeveloperParts, visit: Visit, application: Application): Promise<PageAnswer> {
  const { id, name } = application;
  const standing = await parts.store.read(async (tx) => {
    const found: Standing[] = [];
    for (const webhook of await tx.webhooks.list(id)) {
      const query = { webhook: webhook.id, state: undefined, after: undefined, limit: SHOWN };
      found.push({ webhook, deliveries: await tx.webhookDeliveries.page(query) });
    }
    return found;
  });
  const title = `Webhooks of ${name}`;
  const none = '<p>It has none yet. The application registers them itself: POST /2/webhooks.</p>';
  const content = html`<h1>${title}</h1>
!${noticeOf(visit.given('sent') === 'again' ? 'It is sent again.' : undefined)}
!${standing.length === 0 ? none : standing.map((each) => section(parts, visit, id, each)).join('\n')}
<p><a href="${DEVELOPER}/${id}">Back to ${name}</a></p>`;
  return { status: 200, html: accountDocument(title, visit, content), hasForm: true };
}

function section(parts: DeveloperParts, visit: Visit, id: string, { webhook, deliveries }: Standing): string {
  const { url, valid, failure } = webhook;
  const state = valid
    ? html`<p>Valid${failure === null ? '' : `; its last challenge went unanswered: ${failure}`}</p>`
    : html`<p class="alert">Not valid: ${failure ?? ''}. Nothing is sent to it. PUT /2/webhooks/${webhook.id} challenges it again.</p>`;
  const rows = deliveries.map((each) => row(parts, visit, id, webhook, each));
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="What was sent to ${url}"><table>
<thead><tr><th scope="col">Event</th><th scope="col">State</th><th scope="col">Tries</th><th scope="col">Last</th><th scope="col">Next</th><th scope="col">Again</th></tr></thead>
<tbody>!${rows.join('\n')}</tbody></table></div>`;
  return html`<section><h2>${url}</h2>
!${state}
<form method="post" action="${DEVELOPER}/${id}/webhooks">
!${hidden({ authenticity_token: visit.formToken, webhook: webhook.id, from: generation(webhook) })}
<p class="soft">The second signature is made with a secret of the webhook. A new one is shown once; the former signs for a day more.</p>
<button type="submit">Make a new secret</button>
</form>
!${deliveries.length === 0 ? '<p>Nothing was sent to it yet.</p>' : table}
</section>`;
}

function row(
  { webhooks }: DeveloperParts,
  visit: Visit,
  id: string,
  { id: webhook, valid }: Webhook,
  delivery: WebhookDelivery,
): string {
  const { message_id: message, event_type, state, tries, next_at } = delivery;
  const again =
    state === 'pending' || !valid
      ? ''
      : html`<form method="post" action="${DEVELOPER}/${id}/webhooks">
!${hidden({ authenticity_token: visit.formToken, webhook, message })}
<button type="submit" aria-label="Send ${message} again">Send again</button></form>`;
  const next = next_at === null ? '' : html`<time datetime="${next_at}">${next_at}</time>`;
  return html`<tr><th scope="row">${event_type}<br><span class="soft">${message}</span></th><td>${state}</td><td>${tries.length}</td>
<td>${webhooks.lastOutcome(delivery)}</td><td>!${next}</td><td>!${again}</td></tr>`;
}

/** Which secret it has: one page replaces it once. */
const generation = ({ former_until }: Webhook): string => former_until ?? 'first';

/** Does what a button of the page says. A webhook or a message of somebody else does not exist. */
async function done(parts: DeveloperParts, visit: Visit, application: Application): Promise<PageAnswer> {
  const { id } = application;
  const webhook = visit.given('webhook') ?? '';
  const message = visit.given('message') ?? '';
  const from = visit.given('from');
  const outcome = await registering(parts, async (registrar) => {
    const { tx } = registrar;
    const found = await tx.webhooks.find(webhook);
    if (found?.application_id !== id) return undefined;
    // Who reloads the page that told the secret must not replace it again.
    if (from !== undefined && from !== generation(found)) return { isOver: true };
    if (from !== undefined) return { secret: await parts.webhooks.renewSecret(registrar, webhook), url: found.url };
    const delivery = await parts.webhooks.findDelivery(tx, webhook, message);
    if (!delivery || !found.valid) return undefined;
    await parts.webhooks.resend(tx, [delivery], formatInstant(parts.clock.now()));
    return {};
  });
  if (!outcome) return refusal('page');
  if (outcome.isOver) return refusal('done before');
  if (outcome.secret !== undefined) {
    const title = `The new secret of ${outcome.url}`;
    const page = secretsPage(visit, application, { title, rows: [['Webhook secret', outcome.secret]] });
    return { status: 200, html: page, hasForm: true };
  }
  const location = `${DEVELOPER}/${id}/webhooks?sent=again`;
  return { status: 303, location, html: accountDocument('Done', visit, '<h1>Done</h1>') };
}
