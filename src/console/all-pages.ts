import type { Page } from '../contract/declare/pages.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { accountsPage } from './pages/accounts-page.ts';
import { campaignPage, newCampaignPage } from './pages/campaign-pages.ts';
import { campaignsPage } from './pages/campaigns-page.ts';
import { lineItemPage, newLineItemPage } from './pages/line-item-pages.ts';

/** The pages on which people manage their advertising. */
export function consolePages(deps: ConsoleDeps): readonly Page[] {
  return [
    accountsPage(deps),
    campaignsPage(deps),
    newCampaignPage(deps),
    campaignPage(deps),
    newLineItemPage(deps),
    lineItemPage(deps),
  ];
}
