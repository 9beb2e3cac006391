import { type Html, html, joinHtml, noHtml } from '../../src/base/html.ts';
import type { ParameterWords } from '../../src/engine/describe/words.ts';
import { prose } from '../../src/markup/prose.ts';
import type { MemberTable, MemberWords } from '../docs/member-words.ts';
import type { ProblemWords } from '../docs/words.ts';
import { type LinkTo, parameterId, slugOf } from './page.ts';

/** Longer lists of enum values are collapsed. */
const CHOICES_SHOWN = 8;

/** A parameter or a member as a page shows it. */
interface Row extends Pick<ParameterWords, 'name' | 'type' | 'limits' | 'choices' | 'about'> {
  readonly marks: readonly Html[];
  readonly fallback: string;
}

/** Renders the parameters of a call. */
export function parameterList(parameters: readonly ParameterWords[], linkTo: LinkTo): Html {
  return list(
    parameters.map((each) => ({
      ...each,
      marks: [
        ...(each.place === 'path' ? [html`<span class="chip">path</span>`] : []),
        ...(each.isRequired && each.place !== 'path' ? [html`<span class="chip required">required</span>`] : []),
      ],
    })),
    { idOf: parameterId, linkTo },
  );
}

/** Renders the members of a body and of the named objects in it; types that are named objects lead to them. */
export function memberLists(tables: readonly MemberTable[], place: 'reply' | 'request', linkTo: LinkTo): Html {
  const named = new Set(tables.flatMap(({ title }) => title ?? []));
  const idOf = (title: string): string => `${place}-${slugOf(title)}`;
  const objectIn = (type: string): string | undefined => {
    const object = type.replace(/^(?:list of )+/, '');
    return named.has(object) ? idOf(object) : undefined;
  };
  return joinHtml(
    tables.map(({ title, members }) => {
      const rows = list(
        together(members).map((each) => rowOf(each, place)),
        { linkTo, objectIn, ...(place === 'request' && title === undefined && { idOf: parameterId }) },
      );
      return title === undefined ? rows : html`<h3 id="${idOf(title)}">${title}</h3>\n${rows}`;
    }),
    '\n',
  );
}

/** So many members in a row that differ only in their names are one row. */
const ALIKE_MIN = 4;

/** Joins members that differ only in their names, such as metrics: `metrics.*` has them as its choices. */
export function together(members: readonly MemberWords[]): MemberWords[] {
  const kinds = members.map(({ name, about, choices, type, limits, isNullable, isOptional }) => {
    const parent = name.slice(0, name.lastIndexOf('.') + 1);
    return about === '' && choices.length === 0 ? [parent, type, limits, isNullable, isOptional].join(' ') : name;
  });
  return members.flatMap((member, index) => {
    const from = kinds.slice(0, index).findLastIndex((kind) => kind !== kinds[index]) + 1;
    const next = kinds.slice(index).findIndex((kind) => kind !== kinds[index]);
    const alike = members.slice(from, next < 0 ? members.length : index + next);
    if (alike.length < ALIKE_MIN) return [member];
    if (index > from) return [];
    const parent = member.name.slice(0, member.name.lastIndexOf('.') + 1);
    return [{ ...member, name: `${parent}*`, choices: alike.map(({ name }) => name.slice(parent.length)) }];
  });
}

function rowOf(member: MemberWords, place: 'reply' | 'request'): Row {
  const { isNullable, isOptional, type } = member;
  const mark =
    place === 'request'
      ? !isOptional && html`<span class="chip required">required</span>`
      : isOptional && html`<span class="chip">not always</span>`;
  return {
    ...member,
    fallback: '',
    marks: [
      ...(isNullable && type !== 'null' ? [html`<span class="soft">or null</span>`] : []),
      ...(mark ? [mark] : []),
    ],
  };
}

interface Links {
  readonly linkTo: LinkTo;
  /** The id of the object that a type names. */
  readonly objectIn?: (type: string) => string | undefined;
  /** The id of a row; those of a reply have none. */
  readonly idOf?: (name: string) => string;
}

function list(rows: readonly Row[], { linkTo, objectIn, idOf }: Links): Html {
  return html`<dl class="members">${rows.map((row) => {
    const { name, type, limits, marks, about, choices, fallback } = row;
    const object = objectIn?.(type);
    const depth = Math.min(name.split('.').length - 1, 4);
    return html`<div class="depth${depth}"${idOf ? html` id="${idOf(name)}"` : noHtml}><dt><code>${breakableCode(name)}</code> <span class="type">${object ? html`<a href="#${object}">${type}</a>` : type}${limits ? `, ${limits}` : ''}</span> ${joinHtml(marks, ' ')}</dt>
<dd>${prose(about, (document, section) => linkTo(`protocol/${document}`, section))}${fallback === '' ? '' : html` <span class="fallback">Default: <code>${fallback}</code></span>`}${enumValues(choices)}</dd></div>
`;
  })}</dl>`;
}

/** Renders the values of an enum; a long list is collapsed. */
function enumValues(choices: readonly string[]): Html {
  if (choices.length === 0) return noHtml;
  const words = joinHtml(
    choices.map((word) => html`<code>${breakableCode(word)}</code>`),
    ' ',
  );
  if (choices.length <= CHOICES_SHOWN) return html`<span class="choices">${words}</span>`;
  return html`<details class="choices"><summary>One of ${choices.length}</summary>${words}</details>`;
}

/** Renders a name with line-break opportunities after underscores and dots, and before capitals. */
export function breakableCode(code: string): Html {
  return joinHtml(code.split(/(?<=[_.])|(?<=[a-z])(?=[A-Z])/), html`<wbr>`);
}

/** Renders errors; each leads to what is said of it on the page of all errors. */
export function problemList(rows: readonly ProblemWords[], linkTo: LinkTo): Html {
  return html`<dl class="members problems">${rows.map(
    ({
      name,
      status,
      code,
      message,
      when,
    }) => html`<div><dt><span class="status">${status}</span> <a href="${linkTo('problems', name)}"><code>${breakableCode(String(code))}</code></a> <span class="type">${when}</span></dt>
<dd>${message}</dd></div>
`,
  )}</dl>`;
}
