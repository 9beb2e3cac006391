import { type Html, html, joinHtml } from '../../../../base/html.ts';
import { formatInstant } from '../../../../base/instants.ts';
import { isLongId } from '../../../../contract/declare/long-ids.ts';
import { isLoggedIn, type Page, type PageResponse, type UserRequest } from '../../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { texts } from '../../../../texts/texts.ts';
import type { Registrar } from '../../../platform/registration.ts';
import { errorPage } from '../error-pages.ts';
import { developerPage, redirectToLogin } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';

/** The path of the pages of applications. */
export const APPS_PATH = '/developer/apps';

type Answer = (deps: PagesDeps, request: UserRequest, application: Application) => Promise<PageResponse>;

/** A page of an application, for its owner; everybody else gets 404. `show` answers GET, `submit` POST. */
export function ownerPage(deps: PagesDeps, end: string, show: Answer, submit?: Answer): Page {
  return {
    path: `${APPS_PATH}/:id${end}`,
    methods: submit ? ['GET', 'POST'] : ['GET'],
    async answer(request) {
      const { id = '' } = request.pathParams;
      if (!isLongId(id)) return errorPage('page');
      if (!isLoggedIn(request)) return redirectToLogin(`${APPS_PATH}/${id}`);
      const application = await deps.store.read((tx) => tx.credentials.findApplication(id));
      if (application?.owner_user_id !== request.user.id) return errorPage('page');
      return (request.method === 'GET' ? show : submit!)(deps, request, application);
    },
  };
}

/** The pages of an application, by the end of their path. */
const TABS = texts.developer.apps.tabs;

/** A page of an application, with links to the others. */
export function applicationTab(
  title: string,
  request: UserRequest,
  { id, name }: Application,
  tab: keyof typeof TABS,
  content: Html,
  options?: Parameters<typeof developerPage>[4],
): PageResponse {
  const links = Object.entries(TABS).map(([end, text]) => {
    const current = end === tab ? html` aria-current="page"` : '';
    return html`<a href="${APPS_PATH}/${id}${end && `/${end}`}"${current}>${text}</a>`;
  });
  const tabs = html`<nav class="tabs" aria-label="${name}">${joinHtml(links, '\n')}</nav>
${content}`;
  return developerPage(title, request, APPS_PATH, tabs, options);
}

/** The page that shows new secrets, which cannot be shown again, with a link to continue. @source decision 98 */
export function secretsPage(
  title: string,
  request: UserRequest,
  path: string,
  secrets: readonly (readonly [name: string, value: string])[],
  next: { readonly href: string; readonly text: string },
): PageResponse {
  const rows = secrets.map(([label, value]) => html`<dt>${label}</dt><dd><code>${value}</code></dd>`);
  const content = html`<p class="doubt">${texts.developer.once}</p>
<dl class="secrets">${joinHtml(rows, '\n')}</dl>
<p><a class="main" href="${next.href}">${next.text}</a></p>`;
  return developerPage(title, request, path, content);
}

/** The page that shows new secrets of an application. */
export function applicationSecrets(
  title: string,
  request: UserRequest,
  { id, name }: Pick<Application, 'id' | 'name'>,
  secrets: readonly (readonly [name: string, value: string])[],
): PageResponse {
  const next = { href: `${APPS_PATH}/${id}`, text: texts.developer.goOn(name) };
  return secretsPage(title, request, APPS_PATH, secrets, next);
}

/** Runs a unit of work that creates keys or tokens. */
export function withRegistrar<T>(
  { store, clock, box, secrets }: PagesDeps,
  work: (registrar: Registrar) => Promise<T>,
): Promise<T> {
  const now = formatInstant(clock.now());
  return store.write((tx) => work({ tx, box, random: secrets, now }));
}

/**
 * Stores the audit record of a change to an application, in the same unit of work.
 * @returns the event, to be logged when the unit has ended.
 * @source decision 590; decision 592
 */
export async function recordAudit(
  { tx }: Pick<Registrar, 'tx'>,
  request: UserRequest,
  about: Omit<AuditedEvent, 'user_id'>,
): Promise<readonly AuditedEvent[]> {
  const event = { ...about, user_id: request.user.id };
  await request.record(tx, event);
  return [event];
}
