import { html, joinHtml } from '../base/html.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { PageDocument } from '../contract/declare/pages.ts';
import { texts } from '../texts/texts.ts';
import { acceptsHtml } from './accept-header.ts';
import type { DeveloperTools } from './developer-tools.ts';
import { readCookie, SESSION_COOKIE } from './pages/cookies.ts';
import { type BrandedService, renderDocument } from './pages/document.ts';
import { staticPageHeaders } from './pages/page-headers.ts';
import type { Routes } from './routes.ts';

const words = texts.site.home;

/**
 * Adds `/`, a page that says what this address serves and where to go next; those who are logged in are led to their
 * ads. Requests that do not accept HTML get the 404 of an unknown path.
 * @param servers returns the base URLs of both environments.
 * @param tools in development: what they tell is shown
 * @source decision 542, 1004 and 1130
 */
export function addHomePage(
  routes: Routes,
  environment: Environment,
  branding: BrandedService,
  servers: () => Readonly<Record<Environment, string>>,
  tools: Pick<DeveloperTools, 'identities'> | undefined,
): void {
  routes.get('/', (request) => {
    if (!acceptsHtml(request.headers.accept)) return undefined;
    const cached = tools ? 'no-store' : 'no-cache';
    const headers = { ...staticPageHeaders(), 'cache-control': cached, vary: 'accept, cookie' };
    // The page there knows whether they still are.
    const mayBeLoggedIn = [true, false].some((isSecure) => readCookie(request, SESSION_COOKIE, isSecure));
    if (mayBeLoggedIn) return { status: 303, headers: { ...headers, location: '/ads' }, body: '' };
    const identities = tools?.identities(request);
    return { headers, body: renderDocument(homePage(environment, branding, servers(), identities), branding) };
  });
}

const OTHER: Readonly<Record<Environment, Environment>> = { production: 'sandbox', sandbox: 'production' };

function homePage(
  environment: Environment,
  branding: BrandedService,
  servers: Readonly<Record<Environment, string>>,
  identities: ReturnType<DeveloperTools['identities']> | undefined,
): PageDocument {
  const other = OTHER[environment];
  const names = texts.site.environments;
  const links = [
    ['/ads', ...words.ads],
    ['/reference', ...words.reference],
    ['/openapi.json', ...words.openapi],
    ['/developer/apps', ...words.applications],
    ['/settings/connected_apps', ...words.connected],
    [servers[other], names[other], words.other(servers[other].replace(/^https?:\/\//, ''))],
  ] as const;
  const { title } = words;
  const about = (identities ? words.development : words.environments)[environment];
  const rows = identities?.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`);
  const help = rows?.length
    ? html`<h2>${words.identities}</h2>
<dl class="facts">${joinHtml(rows, '\n')}</dl>`
    : html`<p class="soft">${words.help(branding.name)}</p>`;
  return {
    title,
    content: html`<p class="environment ${environment}">${names[environment]}</p>
<h1>${title}</h1>
<p>${words.about(branding.name)} ${about}</p>
<ul class="places">
${joinHtml(
  links.map(([href, text, what]) => html`<li><a href="${href}">${text}</a><span class="soft">${what}</span></li>`),
  '\n',
)}
</ul>
${help}`,
  };
}
