import { html, joinHtml } from '../../../../base/html.ts';
import type { PageDocument, PageRequest } from '../../../../contract/declare/pages.ts';
import { texts } from '../../../../texts/texts.ts';
import type { ApplicationKeys } from '../../../platform/registration.ts';
import { developerPage } from '../layout.ts';
import { APPS_PATH } from './owner-pages.ts';

const words = texts.developer;

/** The application that secrets belong to. */
interface Owner {
  readonly id: string;
  readonly name: string;
}

/** The page that shows secrets, once. @source decision 98 */
export function secretsPage(
  request: PageRequest,
  { id, name }: Owner,
  secrets: { readonly title: string; readonly rows: readonly (readonly [name: string, value: string])[] },
): PageDocument {
  const rows = secrets.rows.map(([label, value]) => html`<dt>${label}</dt><dd><code>${value}</code></dd>`);
  return developerPage(
    secrets.title,
    request,
    APPS_PATH,
    html`<h1>${secrets.title}</h1>
<p class="doubt">${words.once}</p>
<dl class="secrets">${joinHtml(rows, '\n')}</dl>
<p><a class="main" href="${APPS_PATH}/${id}">${words.goOn(name)}</a></p>`,
  );
}

/** The page that shows new keys, once. */
export function keysPage(
  request: PageRequest,
  owner: Owner,
  { consumerKey, consumerSecret }: ApplicationKeys,
): PageDocument {
  return secretsPage(request, owner, {
    title: words.secrets.keysOf(owner.name),
    rows: [
      [words.apps.key, consumerKey],
      [words.apps.secret, consumerSecret],
    ],
  });
}
