import { type Html, html, joinHtml } from '../../../../base/html.ts';
import { formatInstant } from '../../../../base/instants.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { ChallengeResult, Webhook, WebhookDelivery } from '../../../../contract/store/webhooks.ts';
import { hiddenFields, noticeBox } from '../../../../markup/boxes.ts';
import { timestampElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import { errorPage } from '../error-pages.ts';
import { donePage } from '../layout.ts';
import { ofApplication } from './application-tabs.ts';
import { APPS_PATH, type DeveloperDeps, forOwner, recordAudit, withRegistrar } from './owner-pages.ts';
import { secretsPage } from './secrets-page.ts';

const words = texts.developer.webhooks;

/** The number of deliveries shown per webhook. */
const SHOWN = 20;

/**
 * `/developer/apps/:id/webhooks`: the webhooks of an application and their deliveries.
 * @source activity gaps 19.4 and 21.5
 */
export function webhooksPage(deps: DeveloperDeps): Page {
  return {
    path: `${APPS_PATH}/:id/webhooks`,
    methods: ['GET', 'POST'],
    answer: (request) =>
      forOwner(deps, request, (application) =>
        request.method === 'GET' ? renderPage(deps, request, application) : answerForm(deps, request, application),
      ),
  };
}

interface Standing {
  readonly webhook: Webhook;
  readonly deliveries: readonly WebhookDelivery[];
}

/** A webhook that was just challenged, and the result. */
interface Validated extends ChallengeResult {
  readonly webhook: string;
}

async function renderPage(
  deps: DeveloperDeps,
  request: PageRequest,
  application: Application,
  validated?: Validated,
): Promise<PageResponse> {
  const { id, name } = application;
  const standing = await deps.store.read(async (tx) => {
    const found: Standing[] = [];
    for (const webhook of await tx.webhooks.list(id)) {
      const query = { webhook: webhook.id, state: undefined, after: undefined, limit: SHOWN };
      found.push({ webhook, deliveries: await tx.webhookDeliveries.page(query) });
    }
    return found;
  });
  const title = words.titleOf(name);
  const none = html`<p>${words.none}</p>`;
  const content = html`${noticeBox(request.method === 'GET' && request.parameter('sent') === 'again' ? words.resent : undefined)}
${
  standing.length === 0
    ? none
    : joinHtml(
        standing.map((each) => section(deps, request, id, each, validated)),
        '\n',
      )
}`;
  return { status: 200, html: ofApplication(request, application, 'webhooks', { title, content }), hasForm: true };
}

function section(
  deps: DeveloperDeps,
  request: PageRequest,
  id: string,
  { webhook, deliveries }: Standing,
  validated: Validated | undefined,
): Html {
  const { url } = webhook;
  const action = `${APPS_PATH}/${id}/webhooks`;
  const anchor = `webhook-${webhook.id}`;
  const items = deliveries.map((each) => item(deps, request, action, webhook, each));
  const newest = deliveries.length === SHOWN ? html`<p class="soft">${words.newest(SHOWN)}</p>` : '';
  return html`<section id="${anchor}"><h2>${url}</h2>
${stateOf(webhook, validated?.webhook === webhook.id ? validated : undefined)}
<p class="soft">${words.about(html`<code>PUT /2/webhooks/${webhook.id}</code>`)}</p>
<div class="buttons"><form method="post" action="${action}#${anchor}">
${hiddenFields({ ...request.formFields, webhook: webhook.id, validate: 'now' })}
<button type="submit" aria-label="${words.validateIt(url)}">${words.validate}</button>
</form>
<form method="post" action="${action}">
${hiddenFields({ ...request.formFields, webhook: webhook.id, from: generation(webhook) })}
<button type="submit" aria-label="${words.newSecretFor(url)}">${words.newSecret}</button>
</form></div>
<h3>${words.deliveries}</h3>
${items.length === 0 ? html`<p>${words.noDeliveries}</p>` : html`<ul class="deliveries">${joinHtml(items, '\n')}</ul>${newest}`}
</section>`;
}

/** Whether a webhook is valid, or why not; the result of a challenge just now is shown as such. */
function stateOf({ valid, failure }: Webhook, challenged: ChallengeResult | undefined): Html {
  if (challenged?.hasPassed) return noticeBox(words.passed);
  const why = challenged?.reason ?? failure ?? '';
  const alertRole = challenged ? html` role="alert"` : '';
  if (!valid) {
    return html`<p class="alert"${alertRole}>${words.invalid(why)}</p>`;
  }
  if (challenged) return html`<p class="alert"${alertRole}>${words.stillValid(why)}</p>`;
  return html`<p>${failure === null ? words.valid : words.validBut(failure)}</p>`;
}

/** One delivery: event type, state, attempts, and a button to send it again. */
function item(
  { webhooks }: DeveloperDeps,
  request: PageRequest,
  action: string,
  { id: webhook, valid }: Webhook,
  delivery: WebhookDelivery,
): Html {
  const { message_id: message, event_type, state, tries, next_at } = delivery;
  const last = tries.at(-1)?.at;
  const outcome = tries.length === 0 ? '' : ` ${words.tries(tries.length, webhooks.lastOutcome(delivery))}`;
  const times = [
    last === undefined ? '' : words.lastTried(timestampElement(last)),
    next_at === null ? '' : words.nextTry(timestampElement(next_at)),
  ].filter((time) => time !== '');
  const again = html`<form method="post" action="${action}">
${hiddenFields({ ...request.formFields, webhook, message })}
<button type="submit" aria-label="${words.resendIt(message)}">${words.resend}</button></form>`;
  return html`<li><div><p><strong>${event_type}</strong> <span class="${state}">${words.states[state] ?? state}</span>${outcome}</p>
<p class="soft">${joinHtml(times, ', ')}<br><code>${message}</code></p></div>
${state === 'pending' || !valid ? '' : again}</li>`;
}

/** Identifies the current secret, so that one form replaces it once. */
const generation = ({ former_until }: Webhook): string => former_until ?? 'first';

/** Performs the action of a button. Webhooks and messages of others count as not found. */
async function answerForm(deps: DeveloperDeps, request: PageRequest, application: Application): Promise<PageResponse> {
  const { id } = application;
  const webhook = request.parameter('webhook') ?? '';
  const message = request.parameter('message') ?? '';
  if (request.parameter('validate') !== undefined) return validate(deps, request, application, webhook);
  const from = request.parameter('from');
  const outcome = await withRegistrar(deps, async (registrar) => {
    const { tx } = registrar;
    const found = await tx.webhooks.find(webhook);
    if (found?.application_id !== id) return undefined;
    // Reloading the page that shows the secret must not replace it again.
    if (from !== undefined && from !== generation(found)) return { isOver: true };
    if (from !== undefined) {
      const secret = await deps.webhooks.rotateSecret(registrar, webhook);
      const event = { event: 'webhook_secret_renewed', application_id: id, webhook_id: webhook } as const;
      return { secret, url: found.url, audited: await recordAudit(registrar, request, event) };
    }
    const delivery = await deps.webhooks.findDelivery(tx, webhook, message);
    if (!delivery || !found.valid) return undefined;
    await deps.webhooks.resend(tx, [delivery], formatInstant(deps.clock.now()));
    return {};
  });
  if (!outcome) return errorPage('page');
  if (outcome.isOver) return errorPage('done before');
  if (outcome.secret !== undefined) {
    const rows = [
      [words.webhook, outcome.url],
      [words.secret, outcome.secret],
    ] as const;
    const page = secretsPage(request, application, { title: words.secretTitle, rows });
    return { status: 200, html: page, hasForm: true, audited: outcome.audited };
  }
  const location = `${APPS_PATH}/${id}/webhooks?sent=again`;
  return { status: 303, location, html: donePage(request) };
}

/** Sends a challenge as `PUT` does, and shows the result. @source decision 411 */
async function validate(
  deps: DeveloperDeps,
  request: PageRequest,
  application: Application,
  id: string,
): Promise<PageResponse> {
  const webhook = await deps.store.read((tx) => tx.webhooks.find(id));
  if (webhook?.application_id !== application.id) return errorPage('page');
  const outcome = await deps.webhooks.validate(webhook);
  return outcome ? renderPage(deps, request, application, { webhook: id, ...outcome }) : errorPage('page');
}
