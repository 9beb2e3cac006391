import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import type { LineItemStatus } from '../../contract/delivery/delivery-status.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage, canChange } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { firstDay, lastDay } from '../days.ts';
import { reasonsText, stateOfRow, withDeliveryStatus } from '../lists/cell-text.ts';
import { moneyText } from '../money.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { draftProgress } from '../parts/draft-steps.ts';
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';
import { stateMark } from '../parts/state-mark.ts';
import { type Criterion, criteriaTexts, estimateOf } from './audience-section.ts';
import { budgetText, type Campaign, truncationNote } from './campaign-pages.ts';
import type { LineItem } from './line-item-pages.ts';

const words = texts.review;
const [LINES_MAX, CRITERIA_MAX] = [100, 200] as const;
/** Reasons that do not prevent going live: launching resolves them, or time, or a review. */
const PASSING: readonly string[] = [
  'CAMPAIGN_NOT_ACTIVE',
  'LINE_ITEM_NOT_ACTIVE',
  'STARTS_IN_FUTURE',
  'ACCOUNT_NOT_ACCEPTED',
  'BUDGET_USED_UP',
];
/** Sections of the line item page that resolve a reason; the others are resolved in its form. */
const PARTS: Readonly<Record<string, string>> = { NO_CREATIVE: 'ads', NO_PEOPLE: 'audience' };

interface ReviewedLine {
  readonly line: Omit<LineItem, 'strategies'>;
  readonly criteria: readonly Criterion[];
  readonly ads: number;
  /** Reasons why it would show no ads once live. */
  readonly missing: readonly string[];
}

interface Reviewed {
  readonly campaign: Campaign & { readonly funding_instrument_id: string };
  readonly lines: readonly ReviewedLine[];
  /** The line items that are live after the launch. */
  readonly launched: readonly ReviewedLine[];
  /** Whether there is a draft to launch. */
  readonly isDraft: boolean;
}

/** `/ads/:account_id/campaigns/:campaign_id/review`: a summary of a draft campaign, and the launch button. */
export function reviewPage(deps: ConsoleDeps): Page {
  return accountPage(deps, '/campaigns/:campaign_id/review', ['GET', 'POST'], async (visit) => {
    const { request, find } = visit;
    const campaign_id = request.pathParams.campaign_id!;
    const campaign = await find<Reviewed['campaign']>('campaigns.get', { campaign_id });
    if (!campaign || !canChange(visit)) return deps.notFound();
    const reviewed = await reviewOf(visit, deps, campaign);
    return request.method === 'GET' ? show(visit, deps, reviewed) : goLive(visit, deps, reviewed);
  });
}

async function reviewOf(
  visit: AccountVisit,
  { readStandings }: ConsoleDeps,
  campaign: Reviewed['campaign'],
): Promise<Reviewed> {
  const { read, account, now } = visit;
  const parameters = { campaign_ids: campaign.id, with_draft: true, count: LINES_MAX };
  const found: readonly ReviewedLine['line'][] = await read('line_items.list', parameters);
  const ids = found.map(({ id }) => id);
  const { line_items, campaigns } = await readStandings(account, now, ids);
  const lines = await Promise.all(
    found.map(async (line) => {
      const parameters = { line_item_ids: line.id, count: CRITERIA_MAX };
      const criteria = await read<readonly Criterion[]>('targeting_criteria.list', parameters);
      const standing = line_items[line.id];
      const { ads = {}, reasons_not_servable: reasons = [] } = standing ?? {};
      return {
        line: { ...line, ...standing },
        criteria,
        ads: Object.keys(ads).length,
        missing: missingOf(reasons, ads),
      };
    }),
  );
  const isNew = campaign.entity_status === 'DRAFT';
  const launched = lines.filter(({ line: { entity_status } }) =>
    isNew ? entity_status !== 'PAUSED' : entity_status === 'DRAFT',
  );
  const isDraft = isNew || launched.length > 0;
  return { campaign: withDeliveryStatus('campaigns', campaign, campaigns), lines, launched, isDraft };
}

/** Reasons that only the advertiser can resolve; an ad under review is not one. @source decision 1141 */
function missingOf(reasons: readonly string[], ads: LineItemStatus['ads']): string[] {
  const isReviewed = Object.values(ads).some((ad) => ad.reasons_not_servable.includes('AD_UNDER_REVIEW'));
  return reasons.filter((reason) => !PASSING.includes(reason) && !(reason === 'NO_CREATIVE' && isReviewed));
}

/** Activates the line items before the campaign: a campaign without an active one shows nothing. */
async function goLive(visit: AccountVisit, deps: ConsoleDeps, reviewed: Reviewed): Promise<PageResponse> {
  const { call } = visit;
  const { campaign, launched } = reviewed;
  // The page lists the missing parts.
  if (!canGoLive(reviewed)) return show(visit, deps, reviewed, new Map([['', words.notYet]]));
  for (const { line } of launched) {
    if (line.entity_status !== 'DRAFT') continue;
    const reply = await call('line_items.update', { line_item_id: line.id, entity_status: 'ACTIVE' });
    if (!reply.isDone) return show(visit, deps, reviewed, problemsOf(reply, []));
  }
  if (campaign.entity_status === 'DRAFT') {
    const reply = await call('campaigns.update', { campaign_id: campaign.id, entity_status: 'ACTIVE' });
    if (!reply.isDone) return show(visit, deps, reviewed, problemsOf(reply, []));
  }
  return redirectTo(visit, `/campaigns/${campaign.id}`);
}

const canGoLive = ({ launched }: Reviewed): boolean =>
  launched.length > 0 && launched.every(({ missing }) => missing.length === 0);

async function show(
  visit: AccountVisit,
  deps: ConsoleDeps,
  reviewed: Reviewed,
  problems: Problems = new Map(),
): Promise<PageResponse> {
  const { account, find } = visit;
  const { campaign, lines, isDraft } = reviewed;
  const base = `/ads/${account.id}`;
  const { funding_instrument_id } = campaign;
  const payer = await find<{ readonly description: string }>('funding_instruments.get', { funding_instrument_id });
  const [first] = lines;
  const steps = draftProgress(
    account.id,
    campaign.id,
    'review',
    first && { id: first.line.id, hasAudience: first.criteria.length > 0, hasAds: first.ads > 0 },
  );
  const about = !isDraft ? words.noDraft : campaign.entity_status === 'DRAFT' ? words.about : words.aboutLive;
  const content = html`${isDraft ? steps : ''}${problemSummary(problems)}
<p class="soft">${about}</p>
<section class="card"><div class="heading"><h2>${campaign.name}</h2><a class="button" href="${base}/campaigns/${campaign.id}">${words.change}</a></div>
<dl class="facts"><dt>${texts.campaign.state}</dt><dd>${stateMark(campaign)}</dd><dt>${words.payer}</dt><dd>${payer?.description ?? funding_instrument_id}</dd><dt>${words.budget}</dt><dd>${budgetText(campaign)}</dd></dl></section>
${joinHtml(await Promise.all(lines.map((each) => lineCard(visit, deps, each))), '\n')}
${truncationNote(lines, LINES_MAX)}${isDraft ? launchSection(visit, reviewed) : ''}`;
  return consolePage(visit, {
    problems,
    title: words.titleOf(campaign.name),
    trail: [
      [`${base}/campaigns`, texts.campaigns.title],
      [`${base}/campaigns/${campaign.id}`, campaign.name],
    ],
    content,
  });
}

/** The launch button, or the list of missing parts. */
function launchSection({ account, request }: AccountVisit, reviewed: Reviewed): Html {
  if (canGoLive(reviewed)) {
    return html`<form class="card" method="post">${hiddenFields({ ...request.formFields })}<div class="buttons"><button class="main" type="submit">${words.goLive}</button></div></form>`;
  }
  const { campaign, lines, launched } = reviewed;
  const base = `/ads/${account.id}/line_items`;
  const missing = launched.flatMap(({ line, missing: reasons }) =>
    reasons.map(
      (reason) =>
        html`<li><a href="${base}/${line.id}#${PARTS[reason] ?? 'edit'}">${line.name ?? line.id}</a>: ${reasonsText([reason], texts)}</li>`,
    ),
  );
  const text =
    launched.length > 0
      ? html`<p>${words.notYet}</p><ul class="missing">${missing}</ul>`
      : lines.length > 0
        ? html`<p>${words.allPaused}</p>`
        : html`<p>${words.noLine} <a href="${base}/new?campaign_id=${campaign.id}">${texts.campaign.addLine}</a></p>`;
  return html`<section class="card"><h2>${words.missing}</h2>${text}</section>`;
}

async function lineCard(
  visit: AccountVisit,
  deps: ConsoleDeps,
  { line, criteria, ads, missing }: ReviewedLine,
): Promise<Html> {
  const { account } = visit;
  const href = `/ads/${account.id}/line_items/${line.id}`;
  const from = line.start_time === null ? words.atOnce : words.from(firstDay(line.start_time, account.timezone));
  const until = line.end_time === null ? words.untilPaused : words.until(lastDay(line.end_time, account.timezone));
  const bid = line.bid_amount_local_micro === null ? '' : ` (${moneyText(line.bid_amount_local_micro, line.currency)})`;
  const { state, text: stateText } = stateOfRow(line, texts);
  const criteriaWords = await criteriaTexts(visit, deps, criteria);
  const who =
    criteriaWords.length === 0
      ? words.everybody
      : html`<ul>${criteriaWords.map(({ joined }) => html`<li>${joined}</li>`)}</ul>`;
  return html`<section class="card"><div class="heading"><h2>${line.name ?? line.id}</h2><a class="button" href="${href}" aria-label="${words.change}: ${line.name ?? line.id}">${words.change}</a></div>
<dl class="facts"><dt>${texts.campaign.state}</dt><dd><span class="state ${state}">${stateText}</span></dd><dt>${words.objective}</dt><dd>${texts.campaign.objectives[line.objective] ?? line.objective}</dd>
<dt>${words.days}</dt><dd>${from}, ${until}</dd>
<dt>${words.budget}</dt><dd>${budgetText(line, words.ofCampaign)}</dd>
<dt>${words.bid}</dt><dd>${texts.campaign.strategies[line.bid_strategy ?? 'AUTO'] ?? line.bid_strategy ?? ''}${bid}</dd>
<dt>${words.placements}</dt><dd>${line.placements.map((each) => texts.campaign.placements[each] ?? each).join(', ')}</dd>
<dt>${words.audience}</dt><dd>${who}${await estimateOf(visit, criteria)}</dd>
<dt>${words.ads}</dt><dd>${ads === 0 ? html`<a href="${href}#ads">${texts.campaign.addAd}</a>` : String(ads)}</dd></dl>
${missing.length === 0 ? '' : html`<p class="failed"><strong>${words.showsNothing(reasonsText(missing, texts))}</strong></p>`}</section>`;
}
