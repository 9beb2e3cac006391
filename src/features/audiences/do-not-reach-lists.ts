import { boolean, integer, oneOf, text } from '../../contract/declare/fields.ts';
import { type Computed, type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { AUDIENCE_READERS, AUDIENCE_WRITERS } from '../../contract/declare/roles.ts';
import type { ChangeSetRule, WriteContext } from '../../contract/declare/rules.ts';
import { subjectOf } from '../../contract/store/custom-audiences.ts';
import {
  isTargetable,
  planProcessing,
  processingFields,
  reasonsNotTargetable,
  reasonsNotTargetableField,
} from './custom/processing-state.ts';

const fields = {
  description: text({ max: 1000 }).createOnly().describe('Description of the list.'),
  ...processingFields,
} satisfies Fields;

/** A stored do-not-reach list. */
type DoNotReachList = RowOf<typeof fields>;

const NAME = 'Do Not Reach List';

const computed: Computed<DoNotReachList> = {
  fields: {
    name: oneOf(NAME).readOnly().required().describe('The same for every list.'),
    targetable: boolean()
      .readOnly()
      .required()
      .describe('Whether it has enough people to show its size. It is applied in any case.'),
    reasons_not_targetable: reasonsNotTargetableField(),
    list_size: integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
      .readOnly()
      .describe(
        'Number of people, rounded down to two significant digits if the directory was counted; null while there are too few.',
      ),
  },
  prepare: async () => (row) => {
    const targetable = isTargetable(row);
    const list_size = targetable ? row.size : null;
    return { name: NAME, targetable, reasons_not_targetable: reasonsNotTargetable(row), list_size };
  },
};

/** Lists of people who are excluded from all campaigns of an account; one per account. @source creatives 24; decision 265 */
export const doNotReachLists = resource({
  name: 'do_not_reach_list',
  plural: 'do_not_reach_lists',
  label: 'Do-not-reach list',
  description: 'People who are excluded from all campaigns of the account.',
  scope: 'account',
  operations: ['list', 'create', 'remove'],
  roles: { read: AUDIENCE_READERS, write: AUDIENCE_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 4 * 5 },
  fields,
  changeSetRules: [onePerAccount()],
  createProblems: ['LIST_EXISTS'],
  list: { without: ['ids', 'sort_by', 'with_total_count'] },
  computed,
  effects: { afterWrite: planListProcessing },
});

/** Rule: an account has at most one list. */
function onePerAccount(): ChangeSetRule<DoNotReachList> {
  return async ({ changes, account, tx }) => {
    if (changes[0]?.before) return [];
    const of = { account: account.id, member: undefined, within: {}, without: undefined, prefix: undefined } as const;
    const total = await tx.records.count(doNotReachLists, { ...of, deleted: 'hidden' });
    const error = { problem: 'LIST_EXISTS', words: { account: account.id } } as const;
    return total > 1 ? [{ index: 0, error }] : [];
  };
}

async function planListProcessing(written: WriteContext<DoNotReachList>): Promise<void> {
  if (written.verb !== 'update') await planProcessing(subjectOf('list', written.after.id), written);
}
