import { isId } from '../../../contract/declare/fields.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import type { Page } from '../../../contract/declare/pages.ts';

/**
 * Creates the check of whether a login may redirect to an address: only to a page of this server with `mayFollowLogin`,
 * never to another site.
 * @source authentication 15.2; decision 104
 */
export function loginTargetCheck(pages: readonly Page[]): (address: string) => boolean {
  return (address) => {
    const [path, ...queries] = address.split('?');
    return pages.some(
      (page) => hasPath(page, path!) && (queries.length === 0 ? page.mayFollowLogin === true : hasQuery(page, queries)),
    );
  };
}

/** Path parameters are ids: `:id` is the long id of an application or user, others are short. */
function hasPath({ path: template }: Page, path: string): boolean {
  const [expected, segments] = [template.split('/'), path.split('/')];
  return expected.length === segments.length && expected.every((each, index) => isOf(each, segments[index]!));
}

function isOf(expected: string, segment: string): boolean {
  if (expected === ':id') return isLongId(segment);
  return expected.startsWith(':') ? isId(segment) : expected === segment;
}

function hasQuery({ mayFollowLogin }: Page, queries: readonly string[]): boolean {
  return typeof mayFollowLogin === 'object' && queries.length === 1 && mayFollowLogin.withQuery.test(queries[0]!);
}
