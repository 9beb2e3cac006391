import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { firstDay, lastDay } from '../days.ts';
import { moneyText } from '../money.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { stepsOfDraft } from '../parts/draft-steps.ts';
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';
import { canChange } from '../parts/permissions.ts';
import { stateMark } from '../parts/state-mark.ts';
import { bodyOf, foundIn } from '../refused-call.ts';
import { type Criterion, criteriaTexts, estimateOf } from './audience-section.ts';
import { budgetText, type Campaign, moreThan } from './campaign-pages.ts';
import type { LineItem } from './line-item-pages.ts';

const words = texts.review;
const [LINES_MAX, CRITERIA_MAX, ADS_MAX] = [20, 200, 200] as const;

interface Reviewed {
  readonly campaign: Campaign & { readonly funding_instrument_id: string };
  readonly lines: readonly {
    readonly line: Omit<LineItem, 'strategies'>;
    readonly criteria: readonly Criterion[];
    readonly ads: number;
  }[];
}

/** `/ads/:account_id/campaigns/:campaign_id/review`: all of a campaign before it goes live, and the button for that. */
export function reviewPage(deps: ConsoleDeps): Page {
  return accountPage(deps, '/campaigns/:campaign_id/review', ['GET', 'POST'], async (visit) => {
    const { request, call } = visit;
    const campaign_id = request.pathParams.campaign_id!;
    const campaign = foundIn(await call('campaigns.get', { parameters: { campaign_id } }));
    if (!campaign || !canChange(visit)) return deps.notFound();
    const reviewed = await reviewOf(visit, campaign);
    if (request.method === 'GET') return shown(visit, reviewed);
    return goLive(visit, reviewed);
  });
}

async function reviewOf({ call }: AccountVisit, campaign: Reviewed['campaign']): Promise<Reviewed> {
  const parameters = { campaign_ids: campaign.id, with_draft: true, count: LINES_MAX };
  const { data } = bodyOf(await call('line_items.list', { parameters }));
  const lines = await Promise.all(
    (data as Reviewed['lines'][number]['line'][]).map(async (line) => {
      const line_item_ids = line.id;
      const [criteria, ads] = await Promise.all([
        call('targeting_criteria.list', { parameters: { line_item_ids, count: CRITERIA_MAX } }),
        call('promoted_posts.list', { parameters: { line_item_ids, count: ADS_MAX } }),
      ]);
      return { line, criteria: bodyOf(criteria).data, ads: bodyOf(ads).data.length };
    }),
  );
  return { campaign, lines };
}

/** Line items first: a campaign without one that is active runs nothing. */
async function goLive(visit: AccountVisit, reviewed: Reviewed): Promise<PageResponse> {
  const { call } = visit;
  const { campaign, lines } = reviewed;
  for (const { line } of lines) {
    if (line.entity_status !== 'DRAFT') continue;
    const reply = await call('line_items.update', { parameters: { line_item_id: line.id, entity_status: 'ACTIVE' } });
    if (!reply.isDone) return shown(visit, reviewed, problemsOf(reply, []));
  }
  if (campaign.entity_status !== 'ACTIVE') {
    const reply = await call('campaigns.update', { parameters: { campaign_id: campaign.id, entity_status: 'ACTIVE' } });
    if (!reply.isDone) return shown(visit, reviewed, problemsOf(reply, []));
  }
  return redirectTo(visit, `/campaigns/${campaign.id}`);
}

async function shown(visit: AccountVisit, reviewed: Reviewed, problems: Problems = new Map()): Promise<PageResponse> {
  const { account, call, request } = visit;
  const { campaign, lines } = reviewed;
  const base = `/ads/${account.id}`;
  const { funding_instrument_id } = campaign;
  const payer = foundIn(await call('funding_instruments.get', { parameters: { funding_instrument_id } }));
  const isDraft = campaign.entity_status === 'DRAFT' || lines.some(({ line }) => line.entity_status === 'DRAFT');
  const [first] = lines;
  const steps = stepsOfDraft(
    account.id,
    campaign.id,
    'review',
    first && { id: first.line.id, hasAudience: first.criteria.length > 0, hasAds: first.ads > 0 },
  );
  const content = html`${isDraft ? steps : ''}${problemSummary(problems)}
<p class="soft">${words.about}</p>
<section class="card"><div class="heading"><h2>${campaign.name}</h2><a class="button" href="${base}/campaigns/${campaign.id}">${words.change}</a></div>
<dl class="facts"><dt>${texts.campaign.state}</dt><dd>${stateMark(campaign)}</dd><dt>${words.payer}</dt><dd>${payer?.description ?? funding_instrument_id}</dd><dt>${words.budget}</dt><dd>${budgetText(campaign)}</dd></dl></section>
${joinHtml(await Promise.all(lines.map((each) => lineCard(visit, each))), '\n')}
${lines.length > 0 ? moreThan(lines, LINES_MAX) : html`<section class="card"><h2>${words.missing}</h2><p>${words.noLine} <a href="${base}/line_items/new?campaign_id=${campaign.id}">${texts.campaign.addLine}</a></p></section>`}
${
  isDraft && lines.length > 0
    ? html`<form class="card" method="post">${hiddenFields(request.formFields)}<div class="buttons"><button class="main" type="submit">${words.goLive}</button></div></form>`
    : lines.length > 0
      ? html`<p>${words.isLive}</p>`
      : ''
}`;
  return consolePage(visit, {
    status: problems.size > 0 ? 400 : 200,
    title: words.titleOf(campaign.name),
    trail: [
      [`${base}/campaigns`, texts.campaigns.title],
      [`${base}/campaigns/${campaign.id}`, campaign.name],
    ],
    content,
  });
}

async function lineCard(visit: AccountVisit, { line, criteria, ads }: Reviewed['lines'][number]): Promise<Html> {
  const { account } = visit;
  const href = `/ads/${account.id}/line_items/${line.id}`;
  const from = line.start_time === null ? words.atOnce : words.from(firstDay(line.start_time, account.timezone));
  const until = line.end_time === null ? words.untilPaused : words.until(lastDay(line.end_time, account.timezone));
  const bid = line.bid_amount_local_micro === null ? '' : ` (${moneyText(line.bid_amount_local_micro, line.currency)})`;
  const criteriaWords = await criteriaTexts(visit, criteria);
  const who =
    criteriaWords.length === 0
      ? words.everybody
      : html`<ul>${criteriaWords.map(({ shown: text }) => html`<li>${text}</li>`)}</ul>`;
  return html`<section class="card"><div class="heading"><h2>${line.name ?? line.id}</h2><a class="button" href="${href}" aria-label="${words.change}: ${line.name ?? line.id}">${words.change}</a></div>
<dl class="facts"><dt>${words.objective}</dt><dd>${texts.campaign.objectives[line.objective] ?? line.objective}</dd>
<dt>${words.days}</dt><dd>${from}, ${until}</dd>
<dt>${words.bid}</dt><dd>${texts.campaign.strategies[line.bid_strategy ?? 'AUTO'] ?? line.bid_strategy ?? ''}${bid}</dd>
<dt>${words.audience}</dt><dd>${who}${await estimateOf(visit, criteria)}</dd>
<dt>${words.ads}</dt><dd>${ads === 0 ? html`<strong class="failed">${words.noAds}</strong> <a href="${href}#ads">${texts.campaign.addAd}</a>` : String(ads)}</dd></dl></section>`;
}
