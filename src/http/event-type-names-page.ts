import { html, joinHtml } from '../base/html.ts';
import type { PageDocument } from '../contract/declare/pages.ts';
import { type BrandedService, renderDocument } from './pages/document.ts';
import { staticPageHeaders } from './pages/page-headers.ts';
import { breakableCode } from './reference/member-table.ts';
import type { Routes } from './routes.ts';

/** Deprecated names of event types, with their replacements. */
export type DeprecatedNames = readonly (readonly [deprecated: string, name: string])[];

/** Adds `/docs/activity`, to which replies link when a request used a deprecated name. @source activity 16.1 */
export function addEventTypeNamesPage(routes: Routes, branding: BrandedService, names: DeprecatedNames): void {
  const body = renderDocument(documentOf(names), branding);
  routes.get('/docs/activity', () => ({ headers: staticPageHeaders(), body }));
}

function documentOf(names: DeprecatedNames): PageDocument {
  const rows = names.map(
    ([deprecated, name]) =>
      html`<tr><td><code>${breakableCode(deprecated)}</code></td><td><code>${breakableCode(name)}</code></td></tr>`,
  );
  return {
    title: 'Activity events: names of types',
    width: 'wide',
    content: html`<h1>Activity events: names of types</h1>
<p>The types of events are written in small letters with dots between their parts. The names in PascalCase from before
are deprecated from 18 March 2026 on: they are still accepted when you subscribe, stand for the same type, and never appear in a reply or an event.</p>
<p>What to do: send the name on the right instead. Subscriptions that exist need no change.</p>
<table class="broken">
<thead><tr><th scope="col">Deprecated</th><th scope="col">Name</th></tr></thead>
<tbody>
${joinHtml(rows, '\n')}
</tbody>
</table>
<p>All calls about subscriptions, streams and webhooks: <a href="/reference">reference</a>.</p>`,
  };
}
