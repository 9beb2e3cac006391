import { html } from '../base/html.ts';
import type { PageDocument } from '../contract/declare/pages.ts';
import { PROBLEM_PAGES, type ProblemPage, problemPath } from '../contract/problems/problem-details.ts';
import { acceptsOnlyJson } from './accept-header.ts';
import { type BrandedService, renderDocument } from './pages/document.ts';
import { staticPageHeaders } from './pages/page-headers.ts';
import { proseHtml } from './reference/member-table.ts';
import type { Routes } from './routes.ts';

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
      const body = isJson ? JSON.stringify({ type, ...page }) : renderDocument(documentOf(slug, page), branding);
      return { headers, body };
    });
  }
}

function documentOf(slug: string, { title, status, meaning, remedy }: ProblemPage): PageDocument {
  return {
    title,
    content: html`<h1>${title}</h1>
<p class="soft">Status ${String(status)}, problem type <code>${slug}</code></p>
<section><h2>What it means</h2><p>${proseHtml(meaning)}</p></section>
<section><h2>What to do</h2><p>${proseHtml(remedy)}</p></section>
<p class="soft"><a href="/reference">The reference of the whole interface</a></p>`,
  };
}
