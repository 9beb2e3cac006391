import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { ShownCall } from '../../contract/declare/pages.ts';
import { texts } from '../texts/texts.ts';

/** The calls behind a page, as developers would make them. */
export function shownCalls(calls: readonly ShownCall[]): Html {
  if (calls.length === 0) return noHtml;
  return html`<details class="calls"><summary>${texts.frame.apiCall}</summary>
<p class="soft">${texts.frame.apiCalls}</p>
${joinHtml(calls.map(shownCall), '\n')}
</details>`;
}

function shownCall(call: ShownCall): Html {
  return html`<p class="call"><code>${call.method} ${call.path}</code></p>
<pre>${commandOf(call)}</pre>
<pre>${curlOf(call)}</pre>`;
}

const SECRET_FREE = /^[\w./:@%+,=-]+$/;

/** A word of a command line. */
const quoted = (word: string): string =>
  SECRET_FREE.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** The parameters that are not in the path. */
function parametersOf({ path, parameters = {} }: ShownCall): [name: string, value: string][] {
  const inPath = new Set(path.split('/').map(decodeURIComponent));
  return Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || (name.endsWith('_id') && inPath.has(String(value))) ? [] : [[name, String(value)]],
  );
}

function optionsOf(call: ShownCall): string[] {
  const body = call.body === undefined ? [] : ['--json', JSON.stringify(call.body)];
  return [
    ...parametersOf(call).flatMap(([name, value]) => ['-d', `${name}=${value}`]),
    ...body,
    ...(call.environment === 'sandbox' ? ['--sandbox'] : []),
  ];
}

/** The call with the command line of this service. */
function commandOf(call: ShownCall): string {
  return ['barker', 'call', call.method, call.path, ...optionsOf(call)].map(quoted).join(' ');
}

/** The call with curl, signed by the command line of this service. */
function curlOf(call: ShownCall): string {
  const query = new URLSearchParams(parametersOf(call)).toString();
  const isInQuery = call.method === 'GET' || call.method === 'DELETE';
  const url = `"$BARKER_CALL_URL${call.path}${isInQuery && query !== '' ? `?${query}` : ''}"`;
  const sent = call.body
    ? ` -H 'content-type: application/json' -d ${quoted(JSON.stringify(call.body))}`
    : !isInQuery && query !== ''
      ? ` -d ${quoted(query)}`
      : '';
  const signing = ['barker', 'sign', '--header', call.method, call.path, ...optionsOf(call)].map(quoted).join(' ');
  return `curl -X ${call.method} -H "$(${signing})" ${url}${sent}`;
}
