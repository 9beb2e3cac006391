import type { FastifyInstance } from 'fastify';
import { html } from 'ghtml';
import { softCode } from './reference/operation.ts';

/** Nothing but the style of the pages is loaded. */
const POLICY = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/** Names of event types that are deprecated, with what takes their place. */
export type DeprecatedNames = readonly (readonly [deprecated: string, name: string])[];

/**
 * Adds `/docs/activity`, to which replies lead that were asked for by a deprecated name.
 * @source activity gaps 16.1
 */
export function addActivityPage(app: FastifyInstance, names: DeprecatedNames): void {
  const page = documentOf(names);
  app.get('/docs/activity', (_, reply) => {
    void reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'max-age=300',
      'content-security-policy': `${POLICY}; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    return reply.send(page);
  });
}

function documentOf(names: DeprecatedNames): string {
  const rows = names.map(
    ([deprecated, name]) =>
      html`<tr><td><code>!${softCode(deprecated)}</code></td><td><code>!${softCode(name)}</code></td></tr>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Activity events: names of types</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pages/style.css">
</head>
<body>
<main class="wide">
<h1>Activity events: names of types</h1>
<p>The types of events are written in small letters with dots between their parts. The names in PascalCase from before
are deprecated from 18 March 2026 on: they are still taken when you subscribe, stand for the same type, and never appear in a reply or an event.</p>
<p>What to do: send the name on the right instead. Subscriptions that exist need no change.</p>
<table class="broken">
<thead><tr><th scope="col">Deprecated</th><th scope="col">Name</th></tr></thead>
<tbody>
!${rows.join('\n')}
</tbody>
</table>
<p>All calls about subscriptions, streams and webhooks: <a href="/reference">reference</a>.</p>
</main>
</body>
</html>
`;
}
