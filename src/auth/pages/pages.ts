import type { Page, Pages } from '../../contract/pages.ts';
import { type AuthorizeParts, authorizePages } from './authorize.ts';
import { refusal } from './refusals.ts';
import { sessionPages } from './session-pages.ts';

/** Every page that browsers are shown. */
export function pagesOf(parts: AuthorizeParts): Pages {
  const list: readonly Page[] = [...authorizePages(parts), ...sessionPages(parts)];
  return { list, refuse: refusal };
}
