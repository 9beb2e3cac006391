import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type AudienceRule, ruleText } from '../parts/audience-rule.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { createInputs, textIn } from '../parts/entity-form.ts';
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';
import { audiencesWith } from './audience-section.ts';
import { type Audience, canChangeAudiences, PATH } from './audiences-page.ts';

const words = texts.combine;
/** Maximum number of audiences in a rule. */
const LEAVES_MAX = 10;
const AUDIENCES_MAX = 1000;

interface Leaf {
  /** The chosen audience; '' for none. */
  readonly audience: string;
  readonly isOut: boolean;
}

interface Group {
  readonly operator: Operator;
  readonly leaves: readonly Leaf[];
}

type Operator = 'AND' | 'OR';

/** A rule being edited, as groups of audiences; every rule can be written this way. @source decision 1018 */
interface Draft {
  readonly name: string;
  readonly description: string;
  readonly root: Operator;
  readonly groups: readonly Group[];
}

const NO_LEAF: Leaf = { audience: '', isOut: false };
const NOTHING: Draft = { name: '', description: '', root: 'AND', groups: [{ operator: 'OR', leaves: [NO_LEAF] }] };

/** `/ads/:account_id/audiences/combine`: creates a flexible audience from others. */
export function combinePage(deps: ConsoleDeps): Page {
  return accountPage(deps, `${PATH}/combine`, ['GET', 'POST'], async (visit) => {
    if (!canChangeAudiences(visit)) return deps.notFound();
    const { request } = visit;
    const parameters = { count: AUDIENCES_MAX, sort_by: 'name-asc' };
    const audiences = await audiencesWith<Audience>(visit, parameters);
    if (request.method === 'GET') return show(visit, audiences, NOTHING);
    const draft = draftIn(request);
    const press = request.parameter('press') ?? 'create';
    if (press !== 'create') return show(visit, audiences, applyButton(draft, press));
    const rule = ruleOf(draft);
    if (!rule) return show(visit, audiences, draft, new Map([['g0.l0.audience', words.nobody]]));
    const { name, description } = draft;
    const reply = await visit.call('custom_audiences.batch', {}, [
      {
        operation_type: 'Create',
        params: { name, ...(description && { description }), audience_type: 'FLEXIBLE', segments: rule },
      },
    ]);
    if (!reply.isDone) return show(visit, audiences, draft, problemsOf(reply, ['name', 'description']));
    return redirectTo(visit, `${PATH}/${reply.reply.data[0].id}`);
  });
}

function draftIn(request: PageRequest): Draft {
  const text = (name: string): string => textIn(request, name);
  const operator = (name: string): Operator => (text(name) === 'AND' ? 'AND' : 'OR');
  const groups: Group[] = [];
  for (let group = 0; request.parameter(`g${group}.operator`) !== undefined && group < LEAVES_MAX; group++) {
    const leaves: Leaf[] = [];
    for (let leaf = 0; request.parameter(`g${group}.l${leaf}.audience`) !== undefined && leaf < LEAVES_MAX; leaf++) {
      const at = `g${group}.l${leaf}`;
      leaves.push({ audience: text(`${at}.audience`), isOut: text(`${at}.membership`) === 'out' });
    }
    groups.push({ operator: operator(`g${group}.operator`), leaves });
  }
  return { name: text('name'), description: text('description'), root: operator('root'), groups };
}

/**
 * Applies a button to the draft: `group` adds a group, `leaf 0` an audience to the first group, `take 0 1` removes its
 * second.
 */
function applyButton(draft: Draft, press: string): Draft {
  const [what, group = '', leaf = ''] = press.split(' ');
  const { groups } = draft;
  if (what === 'group') return { ...draft, groups: [...groups, { operator: 'OR', leaves: [NO_LEAF] }] };
  const change = ({ operator, leaves }: Group, at: number): Group => {
    if (at !== Number(group)) return { operator, leaves };
    if (what === 'leaf') return { operator, leaves: [...leaves, NO_LEAF] };
    return { operator, leaves: leaves.filter((_, each) => each !== Number(leaf)) };
  };
  return { ...draft, groups: groups.map(change).filter(({ leaves }) => leaves.length > 0) };
}

/** The rule over the chosen audiences; undefined if none is chosen. */
function ruleOf({ root, groups }: Draft): AudienceRule | undefined {
  const chosen = groups
    .map(({ operator, leaves }) => ({
      boolean_operator: operator,
      child_segments: leaves
        .filter(({ audience }) => audience !== '')
        .map(({ audience, isOut }) => ({ custom_audience_id: audience, negate: isOut })),
    }))
    .filter(({ child_segments }) => child_segments.length > 0);
  return chosen.length === 0 ? undefined : { boolean_operator: root, child_segments: chosen };
}

function show(
  visit: AccountVisit,
  audiences: readonly Audience[],
  draft: Draft,
  problems: Problems = new Map(),
): PageResponse {
  const { request, account } = visit;
  const names = new Map(audiences.map(({ id, name }) => [id, name]));
  const rule = ruleOf(draft);
  const count = draft.groups.reduce((sum, { leaves }) => sum + leaves.length, 0);
  const isFull = count >= LEAVES_MAX;
  const input = createInputs((name) => draft[name as 'name' | 'description'], problems);
  const fields = html`${input('name', words.name, html`required maxlength="255"`)}
${input('description', words.description, html`maxlength="255"`)}
${draft.groups.length > 1 ? selectField('root', words.root, Object.entries(words.roots), draft.root) : hiddenFields({ root: draft.root })}
${joinHtml(
  draft.groups.map((group, at) => groupFields(group, at, { audiences, problems, isFull, isOnly: count === 1 })),
  '\n',
)}
${isFull ? html`<p class="soft">${words.most(LEAVES_MAX)}</p>` : html`<div class="buttons"><button type="submit" name="press" value="group" formaction="#group-${draft.groups.length}" formnovalidate>${words.addGroup}</button></div>`}
<section aria-live="polite"><h2>${words.inWords}</h2><p>${rule ? ruleText(rule, names) : words.nobody}.</p></section>`;
  // Enter presses the first button of a form.
  const form = html`<form method="post">${hiddenFields(request.formFields)}
<button hidden type="submit" name="press" value="create">${words.create}</button>
${fields}
<div class="buttons"><button class="main" type="submit" name="press" value="create">${words.create}</button></div></form>`;
  return consolePage(visit, {
    problems,
    title: words.title,
    trail: [[`/ads/${account.id}${PATH}`, texts.audiences.title]],
    content: html`${problemSummary(problems)}<section class="card"><p class="soft">${words.about}</p>
${audiences.length === 0 ? html`<p>${words.noAudiences}</p>` : form}</section>`,
  });
}

function groupFields(
  { operator, leaves }: Group,
  at: number,
  of: {
    readonly audiences: readonly Audience[];
    readonly problems: Problems;
    readonly isFull: boolean;
    readonly isOnly: boolean;
  },
): Html {
  const options = [['', words.choose], ...of.audiences.map(({ id, name }) => [id, name])] as [string, string][];
  const rows = leaves.map(({ audience, isOut }, leaf) => {
    const name = `g${at}.l${leaf}`;
    const take = of.isOnly
      ? ''
      : html`<button type="submit" name="press" value="take ${at} ${leaf}" formaction="#group-${at}" formnovalidate aria-label="${words.takeFrom(leaf + 1, at + 1)}">${words.take}</button>`;
    return html`<div class="leaf">${selectField(`${name}.membership`, words.membership, Object.entries(words.memberships), isOut ? 'out' : 'in')}
${selectField(`${name}.audience`, words.audience, options, audience, { hint: '', error: of.problems.get(`${name}.audience`) })}${take}</div>`;
  });
  const many = leaves.length > 1;
  return html`<fieldset id="group-${at}"><legend>${words.group(at + 1)}</legend>
${many ? selectField(`g${at}.operator`, words.groupOperator, Object.entries(words.operators), operator) : hiddenFields({ [`g${at}.operator`]: operator })}
${joinHtml(rows, '\n')}
${of.isFull ? '' : html`<div class="buttons"><button type="submit" name="press" value="leaf ${at}" formaction="#group-${at}" formnovalidate aria-label="${words.addAudienceTo(at + 1)}">${words.addAudience}</button></div>`}</fieldset>`;
}
