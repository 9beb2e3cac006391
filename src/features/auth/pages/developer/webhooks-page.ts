import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { Page, PageResponse, UserRequest } from '../../../../contract/declare/pages.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { ChallengeResult, Webhook, WebhookDelivery } from '../../../../contract/store/webhooks.ts';
import { hiddenFields, noticeBox } from '../../../../markup/boxes.ts';
import { timestampElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import { errorPage } from '../error-pages.ts';
import { redirect } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';
import { APPS_PATH, applicationSecrets, applicationTab, ownerPage, recordAudit, withRegistrar } from './owner-pages.ts';

const words = texts.developer.webhooks;

/** Maximum number of deliveries displayed per webhook. */
const SHOWN = 20;

/**
 * `/developer/apps/:id/webhooks`: the webhooks of an application and their deliveries.
 * @source activity 19.4 and 21.5
 */
export function webhooksPage(deps: PagesDeps): Page {
  return ownerPage(
    deps,
    '/webhooks',
    (_, request, application) => render({ deps, request, application }),
    (_, request, application) => {
      const visit = { deps, request, application };
      return request.parameter('validate') === undefined ? change(visit) : validate(visit);
    },
  );
}

/** One request for the page. */
interface Visit {
  readonly deps: PagesDeps;
  readonly request: UserRequest;
  readonly application: Application;
}

/** A webhook that was just challenged, and the result. */
interface Validation extends ChallengeResult {
  readonly webhook: string;
}

const pathOf = ({ application }: Visit): string => `${APPS_PATH}/${application.id}/webhooks`;

async function render(visit: Visit, validation?: Validation): Promise<PageResponse> {
  const { deps, request, application } = visit;
  const webhooks = await deps.store.read(async (tx) => {
    const found: (readonly [Webhook, readonly WebhookDelivery[]])[] = [];
    for (const webhook of await tx.webhooks.list(application.id)) {
      const query = { webhook: webhook.id, state: undefined, after: undefined, limit: SHOWN };
      found.push([webhook, await tx.webhookDeliveries.page(query)]);
    }
    return found;
  });
  const sections = webhooks.map(([webhook, deliveries]) => section(visit, webhook, deliveries, validation));
  const isResent = request.method === 'GET' && request.parameter('sent') === 'again';
  const content = html`${noticeBox(isResent ? words.resent : undefined)}
${sections.length === 0 ? html`<p>${words.none}</p>` : joinHtml(sections, '\n')}`;
  return applicationTab(words.titleOf(application.name), request, application, 'webhooks', content);
}

function section(
  visit: Visit,
  webhook: Webhook,
  deliveries: readonly WebhookDelivery[],
  validation: Validation | undefined,
): Html {
  const { id, url } = webhook;
  const path = pathOf(visit);
  const { formFields } = visit.request;
  const anchor = `webhook-${id}`;
  const items = deliveries.map((each) => item(visit, webhook, each));
  const newest = deliveries.length === SHOWN ? html`<p class="soft">${words.newest(SHOWN)}</p>` : '';
  return html`<section id="${anchor}"><h2>${url}</h2>
${stateOf(webhook, validation?.webhook === id ? validation : undefined)}
<p class="soft">${words.about(html`<code>PUT /2/webhooks/${id}</code>`)}</p>
<div class="buttons"><form method="post" action="${path}#${anchor}">
${hiddenFields({ ...formFields, webhook: id, validate: 'now' })}
<button type="submit" aria-label="${words.validateIt(url)}">${words.validate}</button>
</form>
<form method="post" action="${path}">
${hiddenFields({ ...formFields, webhook: id, from: versionOf(webhook) })}
<button type="submit" aria-label="${words.newSecretFor(url)}">${words.newSecret}</button>
</form></div>
<h3>${words.deliveries}</h3>
${items.length === 0 ? html`<p>${words.noDeliveries}</p>` : html`<ul class="deliveries">${joinHtml(items, '\n')}</ul>${newest}`}
</section>`;
}

/** Whether a webhook is valid, or why not; the result of a challenge just now is an alert or a notice. */
function stateOf({ valid, failure }: Webhook, challenge: ChallengeResult | undefined): Html {
  if (challenge?.hasPassed) return noticeBox(words.passed);
  const why = challenge?.reason ?? failure ?? '';
  if (valid && !challenge) return html`<p>${failure === null ? words.valid : words.validBut(failure)}</p>`;
  const role = challenge ? html` role="alert"` : '';
  return html`<p class="alert"${role}>${(valid ? words.stillValid : words.invalid)(why)}</p>`;
}

/** One delivery: event type, state, attempts, and a button to send it again. */
function item(visit: Visit, { id: webhook, valid }: Webhook, delivery: WebhookDelivery): Html {
  const { message_id: message, event_type, state, tries, next_at } = delivery;
  const last = tries.at(-1)?.at;
  const outcome = tries.length === 0 ? '' : ` ${words.tries(tries.length, visit.deps.webhooks.lastOutcome(delivery))}`;
  const times = [
    last === undefined ? '' : words.lastTried(timestampElement(last)),
    next_at === null ? '' : words.nextTry(timestampElement(next_at)),
  ].filter((time) => time !== '');
  const again = html`<form method="post" action="${pathOf(visit)}">
${hiddenFields({ ...visit.request.formFields, webhook, message })}
<button type="submit" aria-label="${words.resendIt(message)}">${words.resend}</button></form>`;
  return html`<li><div><p><strong>${event_type}</strong> <span class="${state}">${words.states[state] ?? state}</span>${outcome}</p>
<p class="soft">${joinHtml(times, ', ')}<br><code>${message}</code></p></div>
${state === 'pending' || !valid ? '' : again}</li>`;
}

/** Version of the secret: a form sent twice rotates it once. */
const versionOf = ({ former_until }: Webhook): string => former_until ?? 'first';

/** Rotates a secret or sends a message again. Webhooks and messages of others count as not found. */
async function change(visit: Visit): Promise<PageResponse> {
  const { deps, request, application } = visit;
  const { id } = application;
  const webhook = request.parameter('webhook') ?? '';
  const from = request.parameter('from');
  return withRegistrar(deps, async (registrar) => {
    const { tx, now } = registrar;
    const found = await tx.webhooks.find(webhook);
    if (found?.application_id !== id) return errorPage('page');
    if (from === undefined) {
      const delivery = await deps.webhooks.findDelivery(tx, webhook, request.parameter('message') ?? '');
      if (!delivery || !found.valid) return errorPage('page');
      await deps.webhooks.resend(tx, [delivery], now);
      return redirect(request, `${pathOf(visit)}?sent=again`);
    }
    // Reloading the page that shows the secret must not replace it again.
    if (from !== versionOf(found)) return errorPage('done before');
    const secret = await deps.webhooks.rotateSecret(registrar, webhook);
    if (secret === undefined) return errorPage('page');
    const event = { event: 'webhook_secret_renewed', application_id: id, webhook_id: webhook } as const;
    const audited = await recordAudit(registrar, request, event);
    const rows = [
      [words.webhook, found.url],
      [words.secret, secret],
    ] as const;
    return { ...applicationSecrets(words.secretTitle, request, application, rows), audited };
  });
}

/** Sends a challenge as `PUT` does, and shows the result. @source decision 411 */
async function validate(visit: Visit): Promise<PageResponse> {
  const { deps, request, application } = visit;
  const id = request.parameter('webhook') ?? '';
  const webhook = await deps.store.read((tx) => tx.webhooks.find(id));
  const isOwn = webhook?.application_id === application.id;
  const outcome = isOwn ? await deps.webhooks.validate(webhook) : undefined;
  return outcome ? render(visit, { webhook: id, ...outcome }) : errorPage('page');
}
