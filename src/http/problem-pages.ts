import type { FastifyInstance } from 'fastify';
import { html } from 'ghtml';
import { PROBLEM_PAGES, type ProblemPage, problemPath } from '../contract/problem-details.ts';
import { wantsJson } from './accept.ts';
import { prose } from './reference/operation.ts';

/** Nothing but the style of the pages is loaded. */
const POLICY = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * Adds the page of each problem that version 2 names by an address: people read it, programs that ask for JSON get the
 * same. Anyone may.
 * @param base tells the address of the listener.
 * @source authentication gaps 21.2
 */
export function addProblemPages(app: FastifyInstance, base: () => string): void {
  for (const [slug, page] of Object.entries(PROBLEM_PAGES)) {
    app.get(problemPath(slug), (request, reply) => {
      const isJson = wantsJson(request.headers.accept);
      const type = base() + problemPath(slug);
      void reply.headers({
        'content-type': isJson ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8',
        'cache-control': 'max-age=300',
        vary: 'accept',
        'content-security-policy': `${POLICY}; frame-ancestors 'none'`,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      return reply.send(isJson ? JSON.stringify({ type, ...page }) : documentOf(slug, page));
    });
  }
}

function documentOf(slug: string, { title, status, meaning, remedy }: ProblemPage): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pages/style.css">
</head>
<body>
<main>
<h1>${title}</h1>
<p class="soft">Status ${String(status)}, problem type <code>${slug}</code></p>
<section><h2>What it means</h2><p>!${prose(meaning)}</p></section>
<section><h2>What to do</h2><p>!${prose(remedy)}</p></section>
<p class="soft"><a href="/reference">The reference of the whole interface</a></p>
</main>
</body>
</html>
`;
}
