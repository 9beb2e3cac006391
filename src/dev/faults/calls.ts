import { acceptsHtml } from '../../http/accept-header.ts';
import { type DevCall, DevError, DevReply } from '../surface/call.ts';
import { membersOf } from '../surface/members.ts';
import { backTo, type ToolPages } from '../surface/tool-pages.ts';
import { CHOICES, type EnteredFault, FAULTS_FORM, faultsPage } from './faults-page.ts';
import type { FaultInjector } from './injector.ts';
import { type KnownNames, RULE, readRule } from './read-rule.ts';

/** The calls that control faults. */
export function faultCalls(
  { rules, jobKinds }: FaultInjector,
  names: Omit<KnownNames, 'jobKinds'>,
  pages: ToolPages,
): readonly DevCall[] {
  const read = (input: unknown, nextId = rules.nextId) => readRule(input, nextId, { ...names, jobKinds: jobKinds() });
  return [
    {
      ...{ method: 'GET', path: '/_dev/faults' },
      about: 'Lists the faults, and how often each was used.',
      perform: ({ request }) =>
        acceptsHtml(request.headers.accept) ? faultsPage(pages, rules.list()) : { faults: rules.list() },
    },
    {
      ...{ method: 'POST', path: '/_dev/faults' },
      about: 'Adds a fault: { "match", "when", "skip", "every", "times", "probability", "seed", "for_s", "do" }.',
      async perform({ body }) {
        const rule = await read(body);
        rules.add(rule);
        return new DevReply(201, { id: rule.id });
      },
    },
    {
      ...{ method: 'PUT', path: '/_dev/faults' },
      about: 'Replaces all faults by a list of them.',
      async perform({ body }) {
        const list = Array.isArray(body) ? body : membersOf(body, ['faults'], 'body').faults;
        if (!Array.isArray(list)) throw new DevError(400, 'NOT_A_LIST', 'send a list of faults', 'faults');
        const nextId = idsBeside(list);
        const replacing = [];
        for (const each of list) replacing.push(await read(each, nextId));
        rules.replace(replacing);
        return { faults: rules.list() };
      },
    },
    {
      ...{ method: 'DELETE', path: '/_dev/faults' },
      about: 'Removes all faults.',
      perform: () => rules.replace([]),
    },
    {
      ...{ method: 'POST', path: FAULTS_FORM, takesForm: true },
      about: 'Does what a form of the page of faults says.',
      async perform({ body }) {
        const form = body as URLSearchParams;
        const text = (name: string): string => form.get(name)?.trim() ?? '';
        const entered = { kind: text('kind'), operation: text('operation'), times: text('times'), json: text('json') };
        try {
          if (form.has('remove')) rules.remove(text('remove'));
          else rules.add(await read(ruleOf(entered)));
          return backTo('faults');
        } catch (error) {
          if (!(error instanceof DevError)) throw error;
          const { status, message } = error;
          return faultsPage(pages, rules.list(), { status, wrong: `${message}.`, entered });
        }
      },
    },
    {
      ...{ method: 'GET', path: '/_dev/faults/:id' },
      about: 'Shows a fault.',
      perform: ({ path }) => rules.find(path.id!),
    },
    {
      ...{ method: 'PUT', path: '/_dev/faults/:id' },
      about: 'Adds a fault under this id, or puts another in its place.',
      async perform({ path, body }) {
        const { id, ...rest } = membersOf(body, RULE, 'rule');
        if (id !== undefined && id !== path.id)
          throw new DevError(400, 'MEMBER_INVALID', `id must be ${path.id}`, 'id');
        const rule = await read({ ...rest, id: path.id });
        if (rules.list().some((each) => each.id === rule.id)) rules.remove(rule.id);
        rules.add(rule);
        return rules.find(rule.id);
      },
    },
    {
      ...{ method: 'DELETE', path: '/_dev/faults/:id' },
      about: 'Removes a fault.',
      perform: ({ path }) => rules.remove(path.id!),
    },
  ];
}

/** The rule that was entered. @throws DevError */
function ruleOf({ kind, operation, times, json }: EnteredFault): unknown {
  if (json !== '') {
    try {
      return JSON.parse(json);
    } catch {
      throw new DevError(400, 'NOT_JSON', 'the fault is not JSON', 'json');
    }
  }
  const chosen: object | undefined = Object.entries(CHOICES).find(([name]) => name === kind)?.[1];
  if (!chosen) throw new DevError(400, 'MEMBER_INVALID', 'choose what happens', 'kind');
  return {
    ...chosen,
    match: operation === '' ? {} : { operation },
    ...(times !== '' && { times: /^\d+$/.test(times) ? Number(times) : times }),
  };
}

/** Numbers the rules of a list anew, so that the same list has the same ids, and draws the same, each time. */
function idsBeside(list: readonly unknown[]): () => string {
  const given = new Set(list.map((each) => (each as { readonly id?: unknown } | null)?.id));
  let last = 0;
  return () => {
    do last += 1;
    while (given.has(String(last)));
    return String(last);
  };
}
