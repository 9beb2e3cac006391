import type { Page, PageRequest, Pages } from '../../../contract/declare/pages.ts';
import { type AuthorizeDeps, authorizePages } from './authorize-pages.ts';
import { connectedAppsPage } from './connected-apps-page.ts';
import { applicationListPages } from './developer/application-list-pages.ts';
import { applicationPage } from './developer/application-page.ts';
import { callsPage } from './developer/calls-page.ts';
import { overviewPage } from './developer/overview-page.ts';
import type { DeveloperDeps } from './developer/owner-pages.ts';
import { publishersPage } from './developer/publishers-page.ts';
import { regenerationPages } from './developer/regeneration-pages.ts';
import { streamsPage } from './developer/streams-page.ts';
import { tryPage } from './developer/try-page.ts';
import { webhooksPage } from './developer/webhooks-page.ts';
import { blockedReason, errorPage } from './error-pages.ts';
import { type LoginPagesDeps, loginPages } from './login-pages.ts';
import { loginTargets } from './login-targets.ts';
import { type NotificationsDeps, notificationsPage } from './notifications-page.ts';
import { passwordLinkPage } from './password-link-page.ts';
import { type PasswordDeps, passwordPage } from './password-page.ts';
import { profilePage } from './profile-page.ts';
import { type ReauthenticationDeps, withReauthentication } from './reauthentication.ts';
import { securityPage } from './security-page.ts';
import { sessionsPage } from './sessions-page.ts';
import { keepUnsent, type UnsentFormDeps, unsentFormPage } from './unsent-form-page.ts';

/** The dependencies of all pages. */
type PagesParts = ReauthenticationDeps &
  AuthorizeDeps &
  DeveloperDeps &
  NotificationsDeps &
  PasswordDeps &
  UnsentFormDeps &
  Omit<LoginPagesDeps, 'isLoginTarget'>;

/**
 * All pages for browsers; `others` are the pages of other features. Pages that show or replace secrets, or change what
 * logins depend on, require a recent login.
 * @source decision 597; decision 508
 */
export function allPages(deps: PagesParts, others: readonly Page[]): Pages {
  const pages: readonly Page[] = [
    passwordLinkPage(deps),
    withReauthentication(deps, profilePage(deps), changesUserName),
    connectedAppsPage(deps),
    passwordPage(deps),
    withReauthentication(deps, securityPage(deps), asksNothingItself),
    withReauthentication(deps, sessionsPage(deps)),
    overviewPage(deps),
    callsPage(deps),
    streamsPage(deps),
    tryPage(deps),
    ...applicationListPages(deps).map((page) => withReauthentication(deps, page, isForm)),
    withReauthentication(deps, applicationPage(deps), isForm),
    ...regenerationPages(deps).map((page) => withReauthentication(deps, page)),
    withReauthentication(deps, webhooksPage(deps), renewsSecret),
    withReauthentication(deps, publishersPage(deps), issuesCredential),
    notificationsPage(deps),
    unsentFormPage(deps),
    ...others,
  ];
  const list = [...authorizePages(deps), ...loginPages({ ...deps, isLoginTarget: loginTargets(pages) }), ...pages];
  return {
    list: list.map(unlessBlocked),
    errorPage,
    late: (form) => keepUnsent(deps, form),
    isBlocked: (user) => blockedReason(user) !== undefined,
  };
}

const isForm = ({ method }: PageRequest): boolean => method === 'POST';

/** A new user name requires a recent login, because users log in with it. */
const changesUserName = (request: PageRequest): boolean =>
  isForm(request) && request.parameter('screen_name')?.trim() !== request.user!.screen_name;

/**
 * Turning two-step login off needs no recent login, because its form asks for password and code itself.
 * @source decision 515
 */
const asksNothingItself = (request: PageRequest): boolean => !isForm(request) || request.parameter('act') !== 'off';

const renewsSecret = (request: PageRequest): boolean => isForm(request) && request.parameter('from') !== undefined;

/** Disabling needs no recent login: a lost credential must be disabled at once. */
const issuesCredential = (request: PageRequest): boolean => isForm(request) && request.parameter('act') !== 'disable';

/** Shows suspended and locked users the reason instead of the page, and ends their session. @source decision 506 */
function unlessBlocked(page: Page): Page {
  return {
    ...page,
    async answer(request) {
      const blocked = request.user && blockedReason(request.user);
      return blocked ? { ...errorPage(blocked), logout: true } : page.answer(request);
    },
  };
}
