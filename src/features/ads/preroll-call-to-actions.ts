import { oneOf, reference } from '../../contract/declare/fields.ts';
import { type Change, type ChangeSet, type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS, CREATIVE_READERS } from '../../contract/declare/roles.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { webUrl } from './cards/web-url.ts';
import { type LineItem, lineItems } from './line-items.ts';

const fields = {
  line_item_id: reference(() => lineItems)
    .required()
    .createOnly()
    .filteredBy('line_item_ids')
    .describe('A line item for PREROLL_VIEWS; it may have one.'),
  call_to_action: oneOf('GO_TO', 'SEE_MORE', 'SHOP', 'VISIT_SITE', 'WATCH_NOW')
    .required()
    .describe('What people are asked to do.'),
  call_to_action_url: webUrl({ max: 2000 }).required().describe('Where it leads.'),
} satisfies Fields;

type PrerollCallToAction = RowOf<typeof fields>;

/**
 * Preroll calls to action: what videos of a line item ask people to do.
 * @source advertising: Preroll calls to action; creatives 16
 */
export const prerollCallToActions = resource({
  name: 'preroll_call_to_action',
  plural: 'preroll_call_to_actions',
  label: 'Preroll call to action',
  description: 'What the videos of a line item ask people to do.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: CREATIVE_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'account_reads_small',
  idsFrom: 36 ** 2 * 9,
  parentField: 'line_item_id',
  fields,
  rules: [isForPreroll],
  changeSetRules: [isTheOnlyOne],
  createProblems: ['LINE_ITEM_UNFIT'],
  list: {},
});

function unsuitable(line: string, why: string): ErrorDetail {
  return { problem: 'LINE_ITEM_UNFIT', parameter: 'line_item_id', value: line, words: { why } };
}

function isForPreroll({ verb, referenced }: Change<PrerollCallToAction>): ErrorDetail | undefined {
  if (verb !== 'create') return undefined;
  const line = referenced.get('line_item_id') as unknown as LineItem;
  return line.objective === 'PREROLL_VIEWS' ? undefined : unsuitable(line.id, 'is not for PREROLL_VIEWS');
}

async function isTheOnlyOne({ changes, account, tx }: ChangeSet<PrerollCallToAction>) {
  const [change] = changes;
  if (!change || change.before) return [];
  const line = change.after.line_item_id!;
  const all = { account: account.id, member: undefined, without: undefined, prefix: undefined } as const;
  const within = { line_item_id: [line] };
  const live = await tx.records.count(prerollCallToActions, { ...all, deleted: 'hidden', within });
  return live > 1 ? [{ index: 0, error: unsuitable(line, 'has a call to action already') }] : [];
}
