import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { ShownTrace } from './trace.ts';

/** An explanation as a part of a page. */
export function explanationOf(trace: ShownTrace): Html {
  const { outcome, summary, mistakes, signature, received } = trace;
  const isRight = outcome === 'right';
  return html`<p class="${isRight ? 'notice' : 'alert'}" role="status"><strong>${isRight ? 'Right.' : TITLES[outcome]}</strong> ${summary}</p>
${mistakes.length > 1 ? allMistakes(trace) : noHtml}
${facts(trace)}
${difference(trace)}
${texts('Base string, as the server makes it', trace.expected?.base_string)}
${texts('Base string, as it was signed', trace.signed?.base_string)}
${texts('Normalised parameters', trace.expected?.parameter_string)}
${texts('Signature received', signature.received)}
${texts('Signature expected', signature.expected)}
${texts('Authorization header received', received.authorization)}
${parameterTable(trace)}`;
}

const TITLES: Readonly<Record<Exclude<ShownTrace['outcome'], 'right'>, string>> = {
  mistakes: 'Wrong.',
  unknown: 'Wrong.',
  unreadable: 'Unreadable.',
};

function allMistakes({ mistakes }: ShownTrace): Html {
  const items = mistakes.map(
    ({ name, text, remedy }) => html`<li><strong>${text}</strong> ${remedy} <code>${name}</code></li>`,
  );
  return html`<section><h2>${mistakes.length} mistakes</h2>
<ul class="ways">
${joinHtml(items, '\n')}
</ul></section>`;
}

function facts({ id, received_at, status, method, target, origin, application, mistakes }: ShownTrace): Html {
  const rows: [name: string, value: string | number | undefined][] = [
    ['Request', `${method} ${target}`],
    ['Origin', origin],
    ['Received', received_at],
    ['Status', status],
    ['Trace', id],
    ['Application', application],
    ['Mistake', mistakes.length === 1 ? mistakes[0]!.name : undefined],
  ];
  const shown = rows.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">
${joinHtml(
  shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value!}</dd>`),
  '\n',
)}
</dl>`;
}

function difference({ first_difference: found }: ShownTrace): Html {
  if (!found) return noHtml;
  return html`<section><h2>First difference, at character ${found.at + 1} of the base string</h2>
<dl class="facts"><dt>Expected</dt><dd><code>${found.expected}</code></dd>
<dt>Signed</dt><dd><code>${found.signed}</code></dd></dl></section>`;
}

function texts(title: string, text: string | undefined): Html {
  return text === undefined ? noHtml : html`<h2>${title}</h2>\n<pre>${text}</pre>`;
}

function parameterTable({ parameters }: ShownTrace): Html {
  if (parameters.length === 0) return noHtml;
  const rows = parameters.map(
    ({ source, name, value }) =>
      html`<tr><th scope="row">${name} <span class="soft">${source}</span></th><td>${value}</td></tr>`,
  );
  return html`<h2>Parameters, decoded</h2>
<table class="broken parameters">
<thead><tr><th scope="col">Name and place</th><th scope="col">Value</th></tr></thead>
<tbody>
${joinHtml(rows, '\n')}
</tbody>
</table>`;
}
