import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { texts } from '../../texts/texts.ts';
import type { ShownTrace } from './trace.ts';

const words = texts.tools.debugger;

/** An explanation as a part of a page. */
export function explanationOf(trace: ShownTrace): Html {
  const { outcome, summary, mistakes, signature, received } = trace;
  return html`<p class="${outcome === 'right' ? 'notice' : 'alert'}" role="status"><strong>${words.outcomes[outcome]}</strong> ${summary}</p>
${mistakes.length > 1 ? allMistakes(trace) : noHtml}
${facts(trace)}
${difference(trace)}
${section(words.baseExpected, trace.expected?.base_string)}
${section(words.baseSigned, trace.signed?.base_string)}
${section(words.normalised, trace.expected?.parameter_string)}
${section(words.signatureReceived, signature.received)}
${section(words.signatureExpected, signature.expected)}
${section(words.headerReceived, received.authorization)}
${parameterTable(trace)}`;
}

function allMistakes({ mistakes }: ShownTrace): Html {
  const items = mistakes.map(
    ({ name, text, remedy }) => html`<li><strong>${text}</strong> ${remedy} <code>${name}</code></li>`,
  );
  return html`<section><h2>${words.mistakes(mistakes.length)}</h2>
<ul class="ways">
${joinHtml(items, '\n')}
</ul></section>`;
}

function facts({ id, received_at, status, method, target, origin, application, mistakes }: ShownTrace): Html {
  const rows: [name: keyof typeof words.facts, value: string | number | undefined][] = [
    ['request', `${method} ${target}`],
    ['origin', origin],
    ['received', received_at],
    ['status', status],
    ['trace', id],
    ['application', application],
    ['mistake', mistakes.length === 1 ? mistakes[0]!.name : undefined],
  ];
  const shown = rows.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">
${joinHtml(
  shown.map(([name, value]) => html`<dt>${words.facts[name]}</dt><dd>${value!}</dd>`),
  '\n',
)}
</dl>`;
}

function difference({ first_difference: found }: ShownTrace): Html {
  if (!found) return noHtml;
  return html`<section><h2>${words.difference(found.at + 1)}</h2>
<dl class="facts"><dt>${words.expected}</dt><dd><code>${found.expected}</code></dd>
<dt>${words.signed}</dt><dd><code>${found.signed}</code></dd></dl></section>`;
}

function section(title: string, text: string | undefined): Html {
  return text === undefined ? noHtml : html`<h2>${title}</h2>\n<pre>${text}</pre>`;
}

function parameterTable({ parameters }: ShownTrace): Html {
  if (parameters.length === 0) return noHtml;
  const rows = parameters.map(
    ({ source, name, value }) =>
      html`<tr><th scope="row">${name} <span class="soft">${source}</span></th><td>${value}</td></tr>`,
  );
  return html`<h2>${words.parameters}</h2>
<table class="broken parameters">
<thead><tr><th scope="col">${words.nameAndPlace}</th><th scope="col">${words.value}</th></tr></thead>
<tbody>
${joinHtml(rows, '\n')}
</tbody>
</table>`;
}
