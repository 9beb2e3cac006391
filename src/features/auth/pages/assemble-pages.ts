import type { Page, Pages, UserRequest } from '../../../contract/declare/pages.ts';
import { authorizePages } from './authorize-pages.ts';
import { connectedAppsPage } from './connected-apps-page.ts';
import { applicationListPages } from './developer/application-list-pages.ts';
import { applicationPage } from './developer/application-page.ts';
import { callsPage } from './developer/calls-page.ts';
import { overviewPage } from './developer/overview-page.ts';
import { publishersPage } from './developer/publishers-page.ts';
import { regenerationPages } from './developer/regeneration-pages.ts';
import { streamsPage } from './developer/streams-page.ts';
import { webhooksPage } from './developer/webhooks-page.ts';
import { workbenchPage } from './developer/workbench-page.ts';
import { blockedReason, errorPage } from './error-pages.ts';
import { loginPages } from './login-pages.ts';
import { loginTargetCheck } from './login-targets.ts';
import { notificationsPage } from './notifications-page.ts';
import type { PagesDeps } from './pages-deps.ts';
import { passwordLinkPage } from './password-link-page.ts';
import { passwordPage } from './password-page.ts';
import { profilePage } from './profile-page.ts';
import { withReauthentication } from './reauthentication.ts';
import { securityPage } from './security-page.ts';
import { sessionsPage } from './sessions-page.ts';
import { keepLateForm, unsentFormPage } from './unsent-form-page.ts';

/**
 * Assembles the pages for browsers; `others` are the pages of other features. Pages that show or replace secrets, or change
 * login credentials, require a recent login.
 * @source decision 597; decision 508
 */
export function assemblePages(deps: PagesDeps, others: readonly Page[]): Pages {
  const pages: readonly Page[] = [
    passwordLinkPage(deps),
    withReauthentication(deps, profilePage(deps), changesUserName),
    connectedAppsPage(deps),
    passwordPage(deps),
    withReauthentication(deps, securityPage(deps), lacksOwnPassword),
    withReauthentication(deps, sessionsPage(deps)),
    overviewPage(deps),
    callsPage(deps),
    streamsPage(deps),
    workbenchPage(deps),
    ...applicationListPages(deps).map((page) => withReauthentication(deps, page, isForm)),
    withReauthentication(deps, applicationPage(deps), isForm),
    ...regenerationPages(deps).map((page) => withReauthentication(deps, page)),
    withReauthentication(deps, webhooksPage(deps), renewsSecret),
    withReauthentication(deps, publishersPage(deps), issuesCredential),
    notificationsPage(deps),
    unsentFormPage(deps),
    ...others,
  ];
  const list = [...authorizePages(deps), ...loginPages(deps, loginTargetCheck(pages)), ...pages];
  return {
    list: list.map(unlessBlocked),
    errorPage,
    keepLateForm: (form) => keepLateForm(deps, form),
    isBlocked: (user) => blockedReason(user) !== undefined,
  };
}

const isForm = ({ method }: UserRequest): boolean => method === 'POST';

/** A new user name requires a recent login, because users log in with it. */
const changesUserName = (request: UserRequest): boolean =>
  isForm(request) && request.parameter('screen_name')?.trim() !== request.user.screen_name;

/** The form that turns two-step login off asks for password and code itself. @source decision 515 */
const lacksOwnPassword = (request: UserRequest): boolean => !isForm(request) || request.parameter('act') !== 'off';

const renewsSecret = (request: UserRequest): boolean => isForm(request) && request.parameter('from') !== undefined;

/** Disabling needs no recent login: a lost credential must be disabled at once. */
const issuesCredential = (request: UserRequest): boolean => isForm(request) && request.parameter('act') !== 'disable';

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
