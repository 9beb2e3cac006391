import { accounts } from './en/accounts.ts';
import { campaign } from './en/campaign.ts';
import { campaigns, reasons, states } from './en/campaigns.ts';
import { frame } from './en/frame.ts';
import { operator } from './en/operator.ts';

/** Every word that the console shows. Another language is another set of these. */
export const texts = { frame, accounts, campaigns, campaign, states, reasons, operator } as const;
