import { digits, type Field, type StoredValue } from '../../../contract/declare/fields.ts';
import type { ListQuery } from '../../../contract/declare/resource.ts';
import type { Author } from '../../../contract/declare/rules.ts';
import { type ErrorDetail, Problem } from '../../../contract/problems/problems.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { findAdvertiserUserId, promotableUsers } from '../promotable-users.ts';

/** The author of a post. */
export interface PostAuthor {
  readonly user: string;
  /** `FULL` for the user whom the account advertises; undefined if the account may not promote the user. */
  readonly type: 'FULL' | 'REPOSTS_ONLY' | undefined;
}

/** Looks up a user as an author for an account. */
export async function findAuthor(tx: ReadTransaction, account: string, user: string): Promise<PostAuthor> {
  const options = { deleted: 'hidden', column: 'user_id' } as const;
  const rows = await tx.records.getMany(promotableUsers, account, [user], options);
  const types = rows.map(({ promotable_user_type }) => promotable_user_type ?? undefined);
  return { user, type: types.includes('FULL') ? 'FULL' : types[0] };
}

/** The author parameter of new posts. */
export const authorParameter: Field<string> = digits({ max: 20 }).describe(
  'Author; default: the user whom the account advertises.',
);

/** Looks up the requested author; default: the user whom the account advertises. */
export async function findAuthorOrAdvertiser(
  tx: ReadTransaction,
  account: string,
  named: StoredValue | null | undefined,
): Promise<PostAuthor> {
  return findAuthor(tx, account, named == null ? await findAdvertiserUserId(tx, account) : String(named));
}

/** Returns the error if the account may not promote the author. */
export function checkPromotable(
  { user, type }: PostAuthor,
  account: string,
  parameter: string,
): ErrorDetail | undefined {
  if (type !== undefined) return undefined;
  return { problem: 'NOT_PROMOTABLE', parameter, value: user, words: { account } };
}

/**
 * Whether a user may post as an author. Organic posts: only the advertised user for themselves. Promoted-only
 * posts: also users with the POST_COMPOSER permission.
 * @source creatives 1.5; decision 235
 */
export function mayPost(by: Author, author: PostAuthor, isNullcast: boolean): boolean {
  if (by.user === author.user) return isNullcast || author.type === 'FULL';
  return isNullcast && author.type === 'FULL' && by.canCompose;
}

/** Filters post lists by author; default: the advertised user. */
export const authorFilter = {
  parameters: { user_id: authorParameter },
  async within({ input, account, tx }: ListQuery): Promise<{ user_id: string[] }> {
    const author = await findAuthorOrAdvertiser(tx, account.id, input.user_id);
    const error = checkPromotable(author, account.id, 'user_id');
    if (error) throw new Problem([error]);
    return { user_id: [author.user] };
  },
};
