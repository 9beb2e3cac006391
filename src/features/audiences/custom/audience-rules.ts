import type { Change, ChangeSetRule } from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { leavesOf, type Segment } from '../segments/segment-tree.ts';
import { audienceRows, type CustomAudience } from './audience-declaration.ts';

function notAllowed({ account }: Change<CustomAudience>): ErrorDetail {
  return { problem: 'ACTION_NOT_ALLOWED', words: { account: account!.id } };
}

/** Rule: what is made of other audiences stays as it is. @source advertising: States and transitions; creatives 20 */
export function staysAsMade(change: Change<CustomAudience>): ErrorDetail | undefined {
  return change.verb === 'update' && change.after.audience_type === 'FLEXIBLE' ? notAllowed(change) : undefined;
}

/** Rule: others than the owner change it only when they were granted that. @source creatives 18.2 */
export async function mayBeChanged(change: Change<CustomAudience>): Promise<ErrorDetail | undefined> {
  const { verb, after, account, tx } = change;
  if (verb !== 'update' || after.account_id === account!.id) return undefined;
  const [usable] = await tx.audiences.listUsable(account!.id, [after.id]);
  return usable?.permission_level === 'READ_WRITE' ? undefined : notAllowed(change);
}

/** Rule: only its owner deletes it. @source creatives 18.2 */
export function isItsOwner(change: Change<CustomAudience>): ErrorDetail | undefined {
  return change.after.account_id === change.account!.id ? undefined : notAllowed(change);
}

/** Rule: the leaves of a flexible audience are there, may be read by the account, and are no trees. @source creatives 20 */
export async function leavesAreUsable({ verb, after, account, tx }: Change<CustomAudience>): Promise<ErrorDetail[]> {
  if (verb !== 'create' || after.segments === null) return [];
  const leaves = leavesOf(JSON.parse(after.segments) as Segment);
  const usable = await tx.audiences.listUsable(account!.id, [...new Set(leaves.map(({ id }) => id))]);
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

/** Rule: there is nothing that audiences of devices could be made of. @source creatives 20 */
export function isMadeHere({ verb, after }: Change<CustomAudience>): ErrorDetail | undefined {
  if (verb !== 'create' || after.audience_type !== 'MOBILE_AUDIENCE') return undefined;
  return { problem: 'AUDIENCE_NOT_MADE_HERE', parameter: 'audience_type', words: { raw: after.audience_type } };
}

/**
 * Rule: no two live audiences of an account have one name; blanks around it make no difference, the case of letters does.
 * Of those to which one call gives the same name, the first keeps it.
 * @source advertising: Custom audiences; creatives 18.2
 */
export const namesAreUnique: ChangeSetRule<CustomAudience> = async ({ changes, tx }) => {
  const last = new Map(changes.map(({ before, after }, index) => [after.id, { index, before, after }]));
  const named = [...last.values()].filter(
    ({ before, after }) => !after.deleted && before?.name_trimmed !== after.name_trimmed,
  );
  const taken: number[] = [];
  for (const { index, after } of named) {
    const names = [String(after.name_trimmed)];
    const same = await tx.records.getMany(audienceRows, after.account_id, names, {
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
