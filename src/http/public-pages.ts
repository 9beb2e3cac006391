import { type Html, html, joinHtml } from '../base/html.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { PageDocument } from '../contract/declare/pages.ts';
import { PROBLEM_PAGES, type ProblemPage, problemPath } from '../contract/problems/problem-details.ts';
import { texts } from '../texts/texts.ts';
import { readCookie, SESSION_COOKIE } from './pages/cookies.ts';
import { type BrandedService, renderDocument } from './pages/document.ts';
import { staticPageHeaders } from './pages/page-headers.ts';
import { inLanguageOf, languageChoice } from './pages/page-language.ts';
import { acceptsOnlyJson, type Routes } from './routes.ts';

const words = texts.site.home;

/**
 * Adds `/`, a page that says what this address serves and where to go next; those who are logged in are led to their
 * ads. Requests that do not accept HTML get the 404 of an unknown path.
 * @param servers returns the base URLs of both environments.
 * @source decision 542, 1004
 */
export function addHomePage(
  routes: Routes,
  environment: Environment,
  branding: BrandedService,
  servers: () => Readonly<Record<Environment, string>>,
  isDevelopment: boolean,
): void {
  routes.get('/', (request) => {
    if (acceptsOnlyJson(request.headers.accept)) return undefined;
    const headers = { ...staticPageHeaders(), 'cache-control': 'no-cache', vary: 'accept, accept-language, cookie' };
    const choice = languageChoice(request, servers()[environment].startsWith('https:'));
    if (choice)
      return { status: 303, headers: { ...headers, location: choice.location, 'set-cookie': choice.cookie }, body: '' };
    // The page there knows whether they still are.
    const mayBeLoggedIn = [true, false].some((isSecure) => readCookie(request, SESSION_COOKIE, isSecure));
    if (mayBeLoggedIn) return { status: 303, headers: { ...headers, location: '/ads' }, body: '' };
    const page = () => renderDocument(homePage(environment, branding, servers(), isDevelopment), branding);
    return { headers, body: inLanguageOf(request, branding.language, page) };
  });
}

const OTHER: Readonly<Record<Environment, Environment>> = { production: 'sandbox', sandbox: 'production' };

function homePage(
  environment: Environment,
  branding: BrandedService,
  servers: Readonly<Record<Environment, string>>,
  isDevelopment: boolean,
): PageDocument {
  const other = OTHER[environment];
  const names = texts.site.environments;
  const links = [
    ['/ads', ...words.ads],
    ['/docs/', ...words.reference],
    ['/openapi.json', ...words.openapi],
    ['/developer/apps', ...words.applications],
    ['/settings/connected_apps', ...words.connected],
    [servers[other], names[other], words.other(servers[other].replace(/^https?:\/\//, ''))],
  ] as const;
  const { title } = words;
  const about = (isDevelopment ? words.development : words.environments)[environment];
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
<p class="soft">${words.help(branding.name)}</p>`,
  };
}

/**
 * Adds a page for each problem of version 2, whose type is the URL of its page: HTML for people, the same as JSON for
 * programs that ask for it. Public.
 * @param base returns the base URL of the listener.
 * @source activity 21.2
 */
export function addProblemPages(routes: Routes, branding: BrandedService, base: () => string): void {
  for (const [slug, page] of Object.entries(PROBLEM_PAGES)) {
    routes.get(problemPath(slug), (request) => {
      const isJson = acceptsOnlyJson(request.headers.accept);
      const type = base() + problemPath(slug);
      const headers = {
        ...staticPageHeaders(),
        ...(isJson && { 'content-type': 'application/json; charset=utf-8' }),
        vary: 'accept',
      };
      const body = isJson ? JSON.stringify({ type, ...page }) : renderDocument(problemPage(slug, page), branding);
      return { headers, body };
    });
  }
}

function problemPage(slug: string, { title, status, meaning, remedy }: ProblemPage): PageDocument {
  return {
    title,
    content: html`<h1>${title}</h1>
<p class="soft">Status ${String(status)}, problem type <code>${slug}</code></p>
<section><h2>What it means</h2><p>${proseHtml(meaning)}</p></section>
<section><h2>What to do</h2><p>${proseHtml(remedy)}</p></section>
<p class="soft"><a href="/docs/problems">All errors</a></p>`,
  };
}

/** Renders a sentence, with text between backquotes as code. */
function proseHtml(text: string): Html {
  return html`${text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}
