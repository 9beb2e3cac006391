import type { Page, Pages, Visit } from '../../../contract/declare/pages.ts';
import { type AuthorizeParts, authorizePages } from './authorize.ts';
import { type ConfirmParts, confirmed } from './confirm.ts';
import { connectedAppsPage } from './connected-apps.ts';
import { applicationPage } from './developer/application.ts';
import type { DeveloperParts } from './developer/ground.ts';
import { applicationsPages } from './developer/list.ts';
import { renewalPages } from './developer/renewals.ts';
import { webhooksPage } from './developer/webhooks.ts';
import { type NotificationsParts, notificationsPage } from './notifications.ts';
import { type PasswordParts, passwordPage } from './password.ts';
import { passwordLinkPage } from './password-link.ts';
import { profilePage } from './profile.ts';
import { barOf, refusal } from './refusals.ts';
import { securityPage } from './security.ts';
import { type SessionParts, sessionPages } from './session-pages.ts';
import { sessionsPage } from './sessions.ts';

/** What the pages work with. */
type PagesParts = ConfirmParts & AuthorizeParts & DeveloperParts & NotificationsParts & PasswordParts & SessionParts;

/** Every page that browsers are shown; `others` are those of other features. */
export function pagesOf(parts: PagesParts, others: readonly Page[]): Pages {
  const list: readonly Page[] = [
    ...authorizePages(parts),
    ...sessionPages(parts),
    passwordLinkPage(parts),
    confirmed(parts, profilePage(parts), changesUserName),
    connectedAppsPage(parts),
    passwordPage(parts),
    confirmed(parts, securityPage(parts), asksNothingItself),
    confirmed(parts, sessionsPage(parts)),
    ...applicationsPages(parts).map((page) => confirmed(parts, page, isForm)),
    confirmed(parts, applicationPage(parts), isForm),
    ...renewalPages(parts).map((page) => confirmed(parts, page)),
    confirmed(parts, webhooksPage(parts), renewsSecret),
    notificationsPage(parts),
    ...others,
  ];
  return { list: list.map(unlessBarred), refuse: refusal };
}

const isForm = ({ method }: Visit): boolean => method === 'POST';

/** The user name is what a person logs in with. */
const changesUserName = (visit: Visit): boolean =>
  isForm(visit) && visit.parameter('screen_name')?.trim() !== visit.user!.screen_name;

/** Turning two-step login off asks for password and code in its own form. */
const asksNothingItself = (visit: Visit): boolean => !isForm(visit) || visit.parameter('act') !== 'off';

const renewsSecret = (visit: Visit): boolean => isForm(visit) && visit.parameter('from') !== undefined;

/** A suspended or locked user is told so on whatever page, instead of it; and then the session is over. */
function unlessBarred(page: Page): Page {
  return {
    ...page,
    async answer(visit) {
      const bar = visit.user && barOf(visit.user);
      return bar ? { ...refusal(bar), logout: true } : page.answer(visit);
    },
  };
}
