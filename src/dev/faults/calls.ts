import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { acceptsHtml } from '../../http/routes.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { operationList } from '../../markup/call-form.ts';
import { AS_TYPED, formField, selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type DevCall, DevError, DevReply, devCall, invalidMember, membersOf } from '../surface/call.ts';
import { formCall, formPath, type RefusedForm, refusalBox, type ToolPages } from '../surface/tool-pages.ts';
import type { FaultInjector } from './injector.ts';
import { type KnownNames, RULE, readRule } from './read-rule.ts';
import type { ListedRule } from './rules.ts';

/** The calls that control faults. */
export function faultCalls(
  injector: FaultInjector,
  names: Omit<KnownNames, 'jobKinds'>,
  pages: ToolPages,
): readonly DevCall[] {
  const { rules } = injector;
  const read = (input: unknown, nextId = () => rules.nextId()) =>
    readRule(input, nextId, { ...names, jobKinds: injector.jobKinds });
  const page = (refused?: RefusedForm) =>
    faultsPage(pages, { rules: rules.list(), operations: names.operations }, refused);
  return [
    devCall('GET /_dev/faults', 'Lists the faults, and how often each was used.', ({ request }) =>
      acceptsHtml(request.headers.accept) ? page() : { faults: rules.list() },
    ),
    devCall(
      'POST /_dev/faults',
      'Adds a fault: { "match", "when", "skip", "every", "times", "probability", "seed", "for_s", "do" }.',
      async ({ body }) => {
        const rule = await read(body);
        rules.add(rule);
        return new DevReply(201, { id: rule.id });
      },
    ),
    devCall('PUT /_dev/faults', 'Replaces all faults by a list of them.', async ({ body }) => {
      const list = Array.isArray(body) ? body : membersOf(body, ['faults'], 'body').faults;
      if (!Array.isArray(list)) throw new DevError(400, 'NOT_A_LIST', 'send a list of faults', 'faults');
      const nextId = idsBeside(list);
      const replacing = [];
      for (const each of list) replacing.push(await read(each, nextId));
      rules.replace(replacing);
      return { faults: rules.list() };
    }),
    devCall('DELETE /_dev/faults', 'Removes all faults.', () => rules.replace([])),
    formCall(
      'faults',
      async (form) => {
        const id = form.get('remove');
        if (id === null) rules.add(await read(ruleOf(form)));
        else rules.remove(id);
      },
      page,
    ),
    devCall('GET /_dev/faults/:id', 'Shows a fault.', ({ path }) => rules.find(path.id!)),
    devCall(
      'PUT /_dev/faults/:id',
      'Adds a fault under this id, or puts another in its place.',
      async ({ path, body }) => {
        const { id, ...rest } = membersOf(body, RULE, 'rule');
        if (id !== undefined && id !== path.id) throw invalidMember(`id must be ${path.id}`, 'id');
        const rule = await read({ ...rest, id: path.id });
        if (rules.list().some((each) => each.id === rule.id)) rules.remove(rule.id);
        rules.add(rule);
        return rules.find(rule.id);
      },
    ),
    devCall('DELETE /_dev/faults/:id', 'Removes a fault.', ({ path }) => rules.remove(path.id!)),
  ];
}

/** Reads the rule of a form. @throws DevError */
function ruleOf(form: URLSearchParams): unknown {
  const [kind, operation, times, json] = ['kind', 'operation', 'times', 'json'].map((name) => form.get(name) ?? '');
  if (json) {
    try {
      return JSON.parse(json!);
    } catch {
      throw new DevError(400, 'NOT_JSON', 'the fault is not JSON', 'json');
    }
  }
  const chosen: object | undefined = Object.entries(CHOICES).find(([name]) => name === kind)?.[1];
  if (!chosen) throw invalidMember('choose what happens', 'kind');
  return {
    ...chosen,
    match: operation === '' ? {} : { operation },
    ...(times && { times: /^\d+$/.test(times) ? Number(times) : times }),
  };
}

/** Numbers the rules of a list from 1, so that the same list always has the same ids and draws the same numbers. */
function idsBeside(list: readonly unknown[]): () => string {
  const own = new Set(list.map((each) => (each as { readonly id?: unknown } | null)?.id));
  let last = 0;
  return () => {
    do last += 1;
    while (own.has(String(last)));
    return String(last);
  };
}

const words = texts.tools.faults;

const FORM = formPath('faults');

/** Faults that can be chosen by name, and the members that each adds to a rule. */
const CHOICES: Readonly<Record<keyof typeof words.kinds, object>> = {
  unavailable: { do: { reply: { status: 503, retry_after_s: 2 } } },
  rate_limited: { do: { rate_limited: { retry_after_s: 60 } } },
  late: { do: { delay: { ms: 2000 } } },
  reset: { do: { reset: true } },
  lost: { when: 'after', do: { reset: true } },
  malformed: { do: { malformed: true } },
  cut: { do: { truncate: { fraction: 0.5 } } },
};

/** Renders the page of faults. */
function faultsPage(
  pages: ToolPages,
  { rules, operations }: { readonly rules: readonly ListedRule[]; readonly operations: readonly Operation[] },
  refused?: RefusedForm,
): DevReply {
  const { form } = refused ?? {};
  const entered = (name: string): string => form?.get(name) ?? '';
  const json = entered('json');
  return pages.render('faults', {
    status: refused?.error.status,
    title: words.title,
    content: html`<p>${words.about(html`<code>x-barker-fault</code>`)}</p>
${refusalBox(refused)}
<section><h2>${words.count(rules.length)}</h2>
${rules.length === 0 ? noHtml : html`<ul class="deliveries">${joinHtml(rules.map(item), '\n')}</ul>`}
</section>
<section><h2>${words.add}</h2>
<form method="post" action="${FORM}">
${selectField('kind', words.kind, Object.entries(words.kinds), entered('kind'))}
${formField({ member: 'operation', label: words.operation, hint: words.operationHint, attributes: html`list="operations" ${AS_TYPED}` }, entered('operation'))}
${operationList(operations)}
${formField({ member: 'times', label: words.times, hint: words.timesHint, attributes: html`inputmode="numeric" ${AS_TYPED}` }, form ? entered('times') : '1')}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>
<details${json === '' ? noHtml : html` open`}><summary>${words.json}</summary>
<form method="post" action="${FORM}">
${formField({ member: 'json', label: words.fault, hint: words.faultHint, type: 'textarea', attributes: html`rows="5" required ${AS_TYPED}` }, json)}
<div class="buttons"><button type="submit">${words.jsonButton}</button></div>
</form></details></section>`,
  });
}

function item({ id, match, when, hits, left, do: actions }: ListedRule): Html {
  const met = Object.entries(match).flatMap(([name, value]) => (value === undefined ? [] : `${name} ${textOf(value)}`));
  const done = Object.entries(actions).flatMap(([name, value]) => (value === undefined ? [] : nameOf(name, value)));
  return html`<li><div><p><strong>${done.join(', ')}</strong>${when === 'after' ? words.after : ''}</p>
<p class="soft">${met.length === 0 ? words.all : met.join(', ')}<br>
${words.hits(hits)}${left === null ? '' : words.left(left)}</p></div>
<form method="post" action="${FORM}">${hiddenFields({ remove: id })}
<button type="submit" aria-label="${words.removeIt(id)}">${words.remove}</button></form></li>`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const nameOf = (name: string, value: unknown): string =>
  value === true
    ? name
    : `${name} ${JSON.stringify(value)
        .replaceAll(/,?"\w+":\{\}|["{}]/g, '')
        .replaceAll(',', ', ')}`;
