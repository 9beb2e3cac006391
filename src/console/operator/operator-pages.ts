import type { OperatorPage, OperatorSections } from '../../contract/declare/operator-pages.ts';
import { texts } from '../../texts/texts.ts';
import { accountPage, accountsPage } from './accounts-pages.ts';
import { applicationPage, applicationsPage } from './applications-pages.ts';
import { auditPage } from './audit-page.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';
import { overviewPage } from './overview-page.ts';
import { publishersPage } from './publishers-page.ts';
import { sessionsPage } from './sessions-page.ts';
import { userPage, usersPage } from './users-pages.ts';

const words = texts.operator;

/** Sections of the header, in display order. */
export const operatorSections = (): OperatorSections => [
  ['', words.overview],
  ['/users', words.users.title],
  ['/accounts', words.accounts.title],
  ['/applications', words.applications.title],
  ['/publishers', words.publishers.title],
  ['/sessions', words.sessions.title],
  ['/audit', words.audit.title],
];

/** The pages of operators. */
export function operatorPages(deps: OperatorConsoleDeps): readonly OperatorPage[] {
  return [
    overviewPage(deps),
    usersPage(deps),
    userPage(deps),
    accountsPage(deps),
    accountPage(deps),
    applicationsPage(),
    applicationPage(deps),
    publishersPage(),
    sessionsPage(deps),
    auditPage(),
  ];
}
