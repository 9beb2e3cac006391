import { accounts } from './en/accounts.ts';
import { audiences } from './en/audiences.ts';
import { breakdown } from './en/breakdown.ts';
import { campaign } from './en/campaign.ts';
import { campaigns, reasons, states } from './en/campaigns.ts';
import { combine } from './en/combine.ts';
import { composer } from './en/composer.ts';
import { creatives } from './en/creatives.ts';
import { developer } from './en/developer.ts';
import { errors } from './en/errors.ts';
import { frame } from './en/frame.ts';
import { grid } from './en/grid.ts';
import { history } from './en/history.ts';
import { keywords } from './en/keywords.ts';
import { lineItems } from './en/line-items.ts';
import { login } from './en/login.ts';
import { operator } from './en/operator.ts';
import { peopleFile } from './en/people-file.ts';
import { refusals } from './en/refusals.ts';
import { results } from './en/results.ts';
import { review } from './en/review.ts';
import { settings } from './en/settings.ts';
import { site } from './en/site.ts';
import { tools } from './en/tools.ts';
import { inPageLanguage } from './translations.ts';

/** The English texts of pages. Messages of the API are beside the code that sends them. */
export const english = {
  frame,
  accounts,
  campaigns,
  campaign,
  lineItems,
  grid,
  states,
  reasons,
  operator,
  refusals,
  results,
  breakdown,
  review,
  creatives,
  combine,
  composer,
  history,
  audiences,
  keywords,
  peopleFile,
  site,
  login,
  errors,
  settings,
  developer,
  tools,
} as const;

/**
 * The texts of pages, each in the language of the page that reads it. Read them while a page is made: what is read while
 * modules are loaded stays English.
 */
export const texts = inPageLanguage(english);
