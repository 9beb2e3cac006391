import type { Page, Pages } from '../../contract/pages.ts';
import { type AuthorizeParts, authorizePages } from './authorize.ts';
import { connectedAppsPage } from './connected-apps.ts';
import { applicationPage } from './developer/application.ts';
import type { DeveloperParts } from './developer/ground.ts';
import { applicationsPages } from './developer/list.ts';
import { renewalPages } from './developer/renewals.ts';
import { webhooksPage } from './developer/webhooks.ts';
import { type NotificationsParts, notificationsPage } from './notifications.ts';
import { profilePage } from './profile.ts';
import { refusal } from './refusals.ts';
import { sessionPages } from './session-pages.ts';

/** Every page that browsers are shown; `others` are those of other features. */
export function pagesOf(parts: AuthorizeParts & DeveloperParts & NotificationsParts, others: readonly Page[]): Pages {
  const list: readonly Page[] = [
    ...authorizePages(parts),
    ...sessionPages(parts),
    profilePage(parts),
    connectedAppsPage(parts),
    ...applicationsPages(parts),
    applicationPage(parts),
    ...renewalPages(parts),
    webhooksPage(parts),
    notificationsPage(parts),
    ...others,
  ];
  return { list, refuse: refusal };
}
