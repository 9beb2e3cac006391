import { type Html, html, noHtml } from '../../base/html.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { RATES } from '../../contract/declare/rates.ts';
import { ROLES } from '../../contract/declare/roles.ts';
import type { ProblemName } from '../../contract/problems/problems.ts';
import { declaredProblems } from '../../engine/declared-problems.ts';
import { bodyTables, itemsWords } from '../../engine/describe/member-words.ts';
import {
  credentialWords,
  type ParameterWords,
  type ProblemWords,
  parameterWords,
  problemWords,
  rateWords,
  successorOf,
} from '../../engine/describe/words.ts';
import type { DescribedService } from '../../engine/describe.ts';
import { breakableCode, enumValues, memberTable, proseHtml } from './member-table.ts';

/** The path of the page of an operation, with its reply and its examples. */
export function operationPath(id: string): string {
  return `/reference/${id}`;
}

/** The path of the page of a group. */
export function groupPath(name: string): string {
  return `/reference/${name.replaceAll(' ', '_')}`;
}

/** Renders an operation as a section of its group's page, without the common errors. */
export function operationSection(
  operation: Operation,
  { limits, common }: { readonly limits: DescribedService['limits']; readonly common: readonly ProblemName[] },
): Html {
  const { id, description } = operation;
  const own = declaredProblems(operation).filter((name) => !common.includes(name));
  return html`<article class="operation" id="${id}">
    <h3><a class="anchor" href="#${id}">${callLine(operation)}</a></h3>
    <p class="about">${proseHtml(description)}${environmentChip(operation)}</p>
    ${operationFacts(operation, limits)}
    ${parameterTable(operation)}
    ${problemFold('Errors', problemWords(operation, own))}
    ${itemProblemFold(operation)}
    <p class="more"><a href="${operationPath(id)}">Reply and examples<span class="unseen"> of ${id}</span></a></p>
  </article>`;
}

/** Method and path. */
export function callLine({ method, path }: Operation): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>
      <code class="path">${breakable(path)}</code>`;
}

/** A mark for operations of one environment only. */
export function environmentChip({ onlyIn }: Operation): Html {
  return onlyIn ? html` <span class="chip">${onlyIn} only</span>` : noHtml;
}

/** Renders the roles, credential and rate limit of an operation. */
export function operationFacts(operation: Operation, limits: DescribedService['limits']): Html {
  const { aliases = [] } = operation;
  const successor = successorOf(operation);
  return html`<dl class="facts">
      <div><dt>Roles</dt><dd>${rolesWords(operation)}</dd></div>
      ${operation.credential ? html`<div><dt>Credential</dt><dd>${credentialWords(operation)}</dd></div>` : ''}
      <div><dt>Limit</dt><dd>${rateWords(operation, limits)} <code class="soft">${RATES[operation.rate].setting}</code></dd></div>
      ${aliases.length > 0 ? html`<div><dt>Also</dt><dd><code>${aliases.join(', ')}</code></dd></div>` : ''}
      ${successor ? html`<div><dt>Deprecated</dt><dd>use <code>${successor}</code></dd></div>` : ''}
    </dl>`;
}

/** The errors of single items of a batch. */
export function itemProblemFold(operation: Operation): Html {
  const items = problemWords(operation, operation.itemProblems ?? []);
  return problemFold('Errors of single items, answered with 400', items);
}

/** A path that may break after slashes and before parameter names. */
function breakable(path: string): Html {
  const pieces = path.split('/').slice(1);
  return html`${pieces.map((piece) => html`/<wbr>${piece.startsWith(':') ? html`<var>${piece}</var>` : piece}`)}`;
}

function rolesWords({ roles }: Operation): string {
  if (!roles) return 'none needed';
  return roles.length === ROLES.length ? 'any role on the account' : roles.join(', ');
}

/** The parameters of an operation, and the members of its body in JSON. */
export function parameterTable(operation: Operation): Html {
  const rows = parameterWords(operation);
  const body = bodyTables(operation);
  if (rows.length === 0 && body.length === 0) return html`<p class="note">No parameters.</p>`;
  const parameters =
    rows.length === 0
      ? ''
      : html`<table class="rows">
    <thead><tr><th scope="col">Parameter</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
    <tbody>${rows.map(parameterRow)}</tbody>
  </table>`;
  const members = body.map(
    ({ title, members }) =>
      html`<p class="note">${title ?? `Body, in JSON${itemsWords(operation)}`}</p>
    ${memberTable(members, 'request')}`,
  );
  return html`${parameters}${members}`;
}

function parameterRow(row: ParameterWords): Html {
  const marks = [
    row.isRequired && row.place !== 'path' ? html`<span class="chip required">required</span>` : '',
    row.place === 'path' ? html`<span class="chip">path</span>` : '',
  ];
  const fallback =
    row.fallback === ''
      ? ''
      : html`<span class="fallback"><span class="soft">default</span> <code>${row.fallback}</code></span>`;
  return html`<tr>
    <th scope="row"><code>${breakableCode(row.name)}</code> ${marks}</th>
    <td>${row.type}${row.limits ? html`<span class="limits">${row.limits}</span>` : ''}</td>
    <td>${proseHtml(row.about)} ${fallback}${enumValues(row.choices)}</td>
  </tr>`;
}

/** A collapsed table of errors. */
export function problemFold(title: string, rows: readonly ProblemWords[]): Html {
  if (rows.length === 0) return noHtml;
  return html`<details class="problems"><summary>${title} <span class="soft">${rows.length}</span></summary>
    ${problemTable(rows)}</details>`;
}

/** A table of errors: status and code, message, condition. */
export function problemTable(rows: readonly ProblemWords[]): Html {
  return html`<table class="rows problem-rows">
    <thead><tr><th scope="col">Status</th><th scope="col">Message</th><th scope="col">When</th></tr></thead>
    <tbody>${rows.map(problemRow)}</tbody>
  </table>`;
}

function problemRow({ status, code, message, when }: ProblemWords): Html {
  return html`<tr>
    <th scope="row"><span class="status">${status}</span> <code>${breakableCode(String(code))}</code></th>
    <td>${message}</td>
    <td>${when}</td>
  </tr>`;
}
