import { html } from '../base/html.ts';
import { isLoggedIn, type Page } from '../contract/declare/pages.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { accountsPage } from './pages/accounts-page.ts';
import { audiencePage } from './pages/audience-page.ts';
import { audiencesPage } from './pages/audiences-page.ts';
import { campaignPage, newCampaignPage } from './pages/campaign-pages.ts';
import { combinePage } from './pages/combine-page.ts';
import { creativesPage } from './pages/creatives-page.ts';
import { keywordsPage } from './pages/keywords-page.ts';
import { lineItemPage, newLineItemPage } from './pages/line-item-pages.ts';
import { entityListPages } from './pages/list-page.ts';
import { overviewPage } from './pages/overview-page.ts';
import { resultsPage } from './pages/results-page.ts';
import { reviewPage } from './pages/review-page.ts';
import { consoleDocument, renderOrRefuse } from './parts/console-document.ts';

/** The advertiser pages. */
export function consolePages(deps: ConsoleDeps): readonly Page[] {
  return [
    accountsPage,
    overviewPage,
    ...entityListPages,
    newCampaignPage,
    campaignPage,
    reviewPage,
    newLineItemPage,
    lineItemPage,
    resultsPage,
    audiencesPage,
    combinePage,
    audiencePage,
    creativesPage,
    keywordsPage,
  ].map((page) => withRefusalPage(page(deps)));
}

/** Wraps a page to give the reason if the accounts of the user cannot be read. */
function withRefusalPage(page: Page): Page {
  const answer: Page['answer'] = async (request) => {
    if (!isLoggedIn(request)) return page.answer(request);
    return renderOrRefuse(request, page.answer(request), ({ status, title, content }) => ({
      status: status!,
      html: consoleDocument(request, title, html`<h1>${title}</h1>${content}`),
    }));
  };
  return { ...page, answer };
}
