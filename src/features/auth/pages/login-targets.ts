import { isId } from '../../../contract/declare/fields.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import type { Page } from '../../../contract/declare/pages.ts';

/**
 * Whether a login may lead to an address: that of a page of this server with `mayFollowLogin`. There are no redirects
 * to other addresses.
 * @source authentication 15.2; decision 104
 */
export function loginTargets(pages: readonly Page[]): (address: string) => boolean {
  return (address) => {
    const [path, ...queries] = address.split('?');
    return pages.some(
      (page) => hasPath(page, path!) && (queries.length === 0 ? page.mayFollowLogin === true : hasQuery(page, queries)),
    );
  };
}

/** Parameters of such a path are ids: those of an application or user are long, others are not. */
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
