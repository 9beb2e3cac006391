import type { FastifyInstance } from 'fastify';
import { html, joinHtml } from '../base/html.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { PageDocument } from '../contract/declare/pages.ts';
import { acceptsHtml } from './accept.ts';
import { readCookie, SESSION_COOKIE } from './pages/cookies.ts';
import { type BrandedService, renderDocument } from './pages/document.ts';
import { staticPageHeaders } from './pages/page-headers.ts';

/**
 * Adds `/`, a page that says what this address serves and where to go next; those who are logged in are led to their
 * ads. Requests that do not accept HTML get the 404 of an unknown path.
 * @param servers returns the base URLs of both environments.
 * @source decision 542 and 1004
 */
export function addHomePage(
  app: FastifyInstance,
  environment: Environment,
  branding: BrandedService,
  servers: () => Readonly<Record<Environment, string>>,
): void {
  app.get('/', (request, reply) => {
    if (!acceptsHtml(request.headers.accept)) return reply.callNotFound();
    void reply.headers({ ...staticPageHeaders(), 'cache-control': 'no-cache', vary: 'accept, cookie' });
    // The page there knows whether they still are.
    const mayBeLoggedIn = [true, false].some((isSecure) => readCookie(request.raw, SESSION_COOKIE, isSecure));
    if (mayBeLoggedIn) return reply.code(303).header('location', '/ads').send('');
    return reply.send(renderDocument(homePage(environment, branding, servers()), branding));
  });
}

const ABOUT: Readonly<Record<Environment, readonly [name: string, about: string]>> = {
  production: ['Production', 'This address serves the production API: what you create here is real.'],
  sandbox: [
    'Sandbox',
    'This address serves the sandbox API, for trying things out: nothing here runs or costs anything.',
  ],
};

/** The other environment, and the text of the link to it. */
const OTHER: Readonly<Record<Environment, readonly [environment: Environment, text: string]>> = {
  production: ['sandbox', 'Sandbox'],
  sandbox: ['production', 'Production'],
};

function homePage(
  environment: Environment,
  branding: BrandedService,
  servers: Readonly<Record<Environment, string>>,
): PageDocument {
  const [name, about] = ABOUT[environment];
  const [other, otherName] = OTHER[environment];
  const links = [
    ['/ads', 'Your ads', 'Log in to book campaigns, and to see what they bring.'],
    ['/reference', 'API reference', 'Every call, with its parameters, limits and errors.'],
    ['/openapi.json', 'OpenAPI description', 'The same for tools.'],
    ['/developer/apps', 'Your applications', 'Register an application and get its keys.'],
    ['/settings/connected_apps', 'Connected apps', 'See which applications can use your account, and withdraw access.'],
    [servers[other], otherName, `Go to the other environment, at ${servers[other].replace(/^https?:\/\//, '')}.`],
  ] as const;
  const title = 'Advertising';
  return {
    title,
    content: html`<p class="environment ${environment}">${name}</p>
<h1>${title}</h1>
<p>${branding.name} is an advertising platform: campaigns, creatives, audiences, insights and events, on pages and through an API. ${about}</p>
<ul class="places">
${joinHtml(
  links.map(([href, text, what]) => html`<li><a href="${href}">${text}</a><span class="soft">${what}</span></li>`),
  '\n',
)}
</ul>
<p class="soft">You need an account to sign in. The people who run ${branding.name} create accounts and help when you cannot get in.</p>`,
  };
}
