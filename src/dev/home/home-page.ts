import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { language, numberText } from '../../base/language.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import { barChart } from '../../markup/bar-chart.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { texts } from '../../texts/texts.ts';
import { devFilePath } from '../dev-folder.ts';
import { callSnippets } from '../snippets/call-snippets.ts';
import { formPath, type RefusedForm, refusalBox } from '../surface/tool-pages.ts';
import { prefixesOf } from '../world-keys.ts';
import { type AdSpend, DAILY_BUDGET_MICROS } from './watched-ad.ts';

const words = texts.tools.home;
const FORM = formPath('home');
const OTHER = { production: 'sandbox', sandbox: 'production' } as const;

/** The members of `dev.json`; some may be missing. */
export type DevMembers = Readonly<Record<string, string | undefined>>;

/** What the home page shows. */
export interface HomeContent {
  readonly environment: Environment;
  /** The base URL of each listener. */
  readonly originOf: (environment: Environment) => string;
  readonly file: DevMembers;
  readonly dataFolder: string;
  /** List items of the last requests; undefined where none are kept. */
  readonly requests: readonly Html[] | undefined;
  readonly ad: AdSpend | undefined;
  readonly refused?: RefusedForm | undefined;
}

/** Renders the content of the home page. @source decision 1130 */
export function homeContent(home: HomeContent): Html {
  const { environment, originOf } = home;
  const other = originOf(OTHER[environment]);
  return html`<p class="environment ${environment}">${texts.site.environments[environment]}</p>
<p>${texts.site.home.development[environment]} ${words.other(html`<a href="${other}">${other}</a>`)}</p>
<div class="home">
${callSection(home)}
${home.requests ? requestsSection(home.requests) : noHtml}
${home.ad ? adSection(home.ad, home) : noHtml}
${keysSection(home)}
<section class="card across"><h2>${words.tools}</h2>
<ul class="places">
${joinHtml(
  Object.entries(words.places)
    .filter(([href]) => home.requests || (href !== '/_dev/requests' && href !== '/_dev/workbench'))
    .map(([href, [name, about]]) => html`<li><a href="${href}">${name}</a><span class="soft">${about}</span></li>`),
  '\n',
)}
</ul></section>
</div>`;
}

/** A value with a button that copies it. */
function copyable(value: Html, name: string): Html {
  const { copy, copied, copyIt } = words;
  return html`${value}<button type="button" class="copy" data-done="${copied}" aria-label="${copyIt(name)}" hidden>${copy}</button>`;
}

function callSection({ environment, originOf, file }: HomeContent): Html {
  const [method, path] = [environment === 'sandbox' ? 'POST' : 'GET', '/12/accounts'] as const;
  const isWhole = file.access_token !== undefined;
  const calls = isWhole ? callSnippets({ method, url: originOf(environment) + path }, file) : [];
  const items = calls.map(
    (
      [language, code],
      at,
    ) => html`<details name="language"${at === 0 ? html` open` : noHtml}><summary>${language}</summary>
<div class="copyable">${copyable(html`<pre tabindex="0">${code}</pre>`, language)}</div></details>`,
  );
  return html`<section class="card"><h2>${words.call}</h2>
<p>${isWhole ? words.callAbout[environment] : words.noToken}</p>
${joinHtml(items, '\n')}
</section>`;
}

function requestsSection(items: readonly Html[]): Html {
  return html`<section class="card"><h2>${words.requests}</h2>
<p>${words.requestsAbout}</p>
<ul class="places" data-island="requests" data-sent="${texts.tools.requests.sent}">${joinHtml(items, '\n')}</ul>
<p><a href="/_dev/requests">${texts.tools.requests.all}</a></p>
</section>`;
}

function adSection({ account, lineItem, currency, elapsed_h, hours }: AdSpend, { file, refused }: HomeContent): Html {
  const button = (act: string, text: string, isNext: boolean): Html =>
    html`<form method="post" action="${FORM}">${hiddenFields({ act })}<button type="submit"${isNext ? html` class="main"` : noHtml}>${text}</button></form>`;
  const spent = hours.reduce((sum, { micros }) => sum + micros, 0);
  const results = `/ads/${account}/results?line_item_id=${lineItem}&range=last_7`;
  return html`<section class="card across" id="ad"><h2>${words.ad}</h2>
<p>${words.adAbout(numberText(DAILY_BUDGET_MICROS / 1e6))}</p>
${refusalBox(refused)}
<div class="buttons">${button('create', lineItem === undefined ? words.create : words.createAnother, lineItem === undefined)}
${lineItem === undefined ? noHtml : html`${button('advance', words.advance, spent === 0)}${enterLink(words.results, results, login(file, ''), spent > 0)}`}</div>
${lineItem === undefined ? noHtml : chart(hours, spent, currency)}
${spent === 0 && elapsed_h > 1 ? html`<p>${words.unseen}</p>` : noHtml}
</section>`;
}

function chart(hours: AdSpend['hours'], spent: number, currency: string): Html {
  const format = new Intl.NumberFormat(language(), { style: 'currency', currency });
  const money = (micros: number): string => format.format(micros / 1e6);
  const bars = hours.map(({ hour, micros }) => ({
    label: `${hour.slice(0, 10)} ${hour.slice(11, 16)}`,
    value: micros,
    text: money(micros),
  }));
  return barChart({
    id: 'spend',
    title: words.spent(money(spent), money(DAILY_BUDGET_MICROS)),
    about: words.spentAbout(hours.length),
    bars,
  });
}

interface Login {
  readonly name: string;
  /** Undefined when it was changed. */
  readonly password: string | undefined;
}

function login(file: DevMembers, prefix: string): Login {
  return { name: file[`${prefix}username`] ?? '', password: file[`${prefix}password`] };
}

/** A link to a page for those who are logged in; where scripts run, it logs the user in. */
function enterLink(text: string, href: string, { name, password = '' }: Login, isNext: boolean): Html {
  return html`<a class="${isNext ? 'button main' : 'button'}" href="${href}" data-login="${name}" data-password="${password}">${text}</a>`;
}

function keysSection({ file, dataFolder }: HomeContent): Html {
  const logins = [...new Map(prefixesOf(file, 'user_id').map((each) => [file[`${each}user_id`], each])).values()];
  const row = (name: string, value: string | undefined): Html =>
    html`<dt>${name}</dt><dd class="copyable">${value === undefined ? html`<span class="soft">${words.gone}</span>` : copyable(html`<code>${value}</code>`, name)}</dd>`;
  const users = logins.map((prefix) => {
    const { name, password } = login(file, prefix);
    const role = new Map(Object.entries(words.users)).get(name);
    return html`<div><h3>${name}</h3>${role === undefined ? noHtml : html`<p class="soft">${role}</p>`}<dl>${row(words.password, password)}</dl>
${enterLink(words.logIn(name), '/ads', { name, password }, false)}</div>`;
  });
  const applications = prefixesOf(file, 'consumer_key').map((prefix) => {
    const [title, about] = words.applications[prefix as 'reader_'] ?? [prefix.slice(0, -1), ''];
    const keys = Object.entries(words.keys).map(([key, name]) => row(name, file[prefix + key]));
    return html`<div><h3>${title}</h3><p class="soft">${about}</p><dl>${joinHtml(keys, '')}</dl></div>`;
  });
  return html`<section class="card across" id="keys"><h2>${words.logins}</h2>
<div class="beside">${joinHtml(users, '\n')}</div>
<h2>${words.applicationKeys}</h2>
<div class="beside">${joinHtml(applications, '\n')}</div>
<p class="soft">${words.file(html`<code>${devFilePath(dataFolder)}</code>`)}</p>
</section>`;
}
