import { oneOf } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS, CREATIVE_READERS } from '../../contract/declare/roles.ts';
import type { Change, ChangeSet } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { webUrl } from './cards/web-url.ts';
import { lineItemChild, lineItemReference } from './line-item-children.ts';
import type { LineItem } from './line-items.ts';

const fields = {
  line_item_id: lineItemReference('Line item with objective PREROLL_VIEWS; it can have one.'),
  call_to_action: oneOf('GO_TO', 'SEE_MORE', 'SHOP', 'VISIT_SITE', 'WATCH_NOW').required().describe('Call to action.'),
  call_to_action_url: webUrl({ max: 2000 }).required().describe('URL of the call to action.'),
} satisfies Fields;

type PrerollCallToAction = RowOf<typeof fields>;

/**
 * Pre-roll calls to action: the button and link of the videos of a line item.
 * @source advertising 16; creatives 16
 */
export const prerollCallToActions = resource({
  ...lineItemChild,
  name: 'preroll_call_to_action',
  plural: 'preroll_call_to_actions',
  label: 'Preroll call to action',
  description: 'The call to action and link shown with the pre-roll videos of a line item.',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: CREATIVE_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 2 * 9 },
  fields,
  rules: [isForPreroll],
  changeSetRules: [isTheOnlyOne],
  createProblems: ['LINE_ITEM_UNFIT'],
});

/** Builds the error of a line item that cannot have a creative. */
export function lineItemUnfit(line: string, why: string): ErrorDetail {
  return { problem: 'LINE_ITEM_UNFIT', parameter: 'line_item_id', value: line, words: { why } };
}

function isForPreroll({ verb, referenced }: Change<PrerollCallToAction>): ErrorDetail | undefined {
  if (verb !== 'create') return undefined;
  const line = referenced.get('line_item_id') as LineItem;
  return line.objective === 'PREROLL_VIEWS' ? undefined : lineItemUnfit(line.id, 'is not for PREROLL_VIEWS');
}

async function isTheOnlyOne({ changes, account, tx }: ChangeSet<PrerollCallToAction>) {
  const [change] = changes;
  if (!change || change.before) return [];
  const line = change.after.line_item_id!;
  const within = { line_item_id: [line] };
  const live = await tx.records.count(prerollCallToActions, { account: account.id, deleted: 'hidden', within });
  return live > 1 ? [{ index: 0, error: lineItemUnfit(line, 'has a call to action already') }] : [];
}
