import type { Change, ChangeSetRule } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { leavesOf, type Segment } from '../segments/segment-tree.ts';
import { audienceDeclaration, type CustomAudience } from './audience-declaration.ts';

function notAllowed({ account }: Change<CustomAudience>): ErrorDetail {
  return { problem: 'ACTION_NOT_ALLOWED', words: { account: account.id } };
}

/** Rule: flexible audiences cannot be changed. @source advertising 19; creatives 20 */
export function flexibleIsImmutable(change: Change<CustomAudience>): ErrorDetail | undefined {
  return change.verb === 'update' && change.after.audience_type === 'FLEXIBLE' ? notAllowed(change) : undefined;
}

/** Rule: accounts other than the owner need a READ_WRITE grant to change an audience. @source creatives 18.2 */
export async function updateIsGranted(change: Change<CustomAudience>): Promise<ErrorDetail | undefined> {
  const { verb, after, account, tx } = change;
  if (verb !== 'update' || after.account_id === account.id) return undefined;
  const [usable] = await tx.audiences.listUsable(account.id, [after.id]);
  return usable?.permission_level === 'READ_WRITE' ? undefined : notAllowed(change);
}

/** Rule: only the owner may delete an audience. @source creatives 18.2 */
export function onlyOwnerDeletes(change: Change<CustomAudience>): ErrorDetail | undefined {
  return change.after.account_id === change.account.id ? undefined : notAllowed(change);
}

/**
 * Rule: the leaves of a new flexible audience exist, are readable by the account, and are not flexible.
 * @source creatives 20; decision 261
 */
export async function leavesAreUsable({ verb, after, account, tx }: Change<CustomAudience>): Promise<ErrorDetail[]> {
  if (verb !== 'create' || after.segments === null) return [];
  const leaves = leavesOf(JSON.parse(after.segments) as Segment);
  const usable = await tx.audiences.listUsable(account.id, [...new Set(leaves.map(({ id }) => id))]);
  const types = new Map(usable.map((each) => [each.id, each.audience_type]));
  return leaves.flatMap(({ id: value, path }): ErrorDetail[] => {
    const parameter = `${path}.custom_audience_id`;
    const type = types.get(value);
    if (type === undefined) {
      return [{ problem: 'CUSTOM_AUDIENCE_NOT_FOUND', parameter, value, words: { kind: 'Custom audience' } }];
    }
    return type === 'FLEXIBLE' ? [{ problem: 'LEAF_UNFIT', parameter, words: { raw: value } }] : [];
  });
}

/** Rule: mobile audiences cannot be created. @source creatives 20 */
export function typeIsSupported({ verb, after }: Change<CustomAudience>): ErrorDetail | undefined {
  if (verb !== 'create' || after.audience_type !== 'MOBILE_AUDIENCE') return undefined;
  return { problem: 'AUDIENCE_NOT_MADE_HERE', parameter: 'audience_type', words: { raw: after.audience_type } };
}

/**
 * Rule: names of live audiences are unique within their owner's account, case-sensitive and ignoring surrounding
 * spaces. If a batch gives several the same name, the first keeps it.
 * @source advertising 17; creatives 18.2; decision 248, 249
 */
export const namesAreUnique: ChangeSetRule<CustomAudience> = async ({ changes, tx }) => {
  const last = new Map(changes.map(({ before, after }, index) => [after.id, { index, before, after }]));
  const named = [...last.values()].filter(
    ({ before, after }) => !after.deleted && before?.name_trimmed !== after.name_trimmed,
  );
  const taken: number[] = [];
  for (const { index, after } of named) {
    const names = [String(after.name_trimmed)];
    const same = await tx.records.getMany(audienceDeclaration, after.account_id, names, {
      deleted: 'hidden',
      column: 'name_trimmed',
    });
    const isTaken = same.some(
      ({ id }) => id !== after.id && !named.some((other) => other.after.id === id && other.index > index),
    );
    if (isTaken) taken.push(index);
  }
  return taken.map((index) => ({ index, error: { problem: 'AUDIENCE_NAME_TAKEN', parameter: 'name' } }));
};
