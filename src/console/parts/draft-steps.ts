import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { texts } from '../../texts/texts.ts';

const words = texts.review;

/** A step of creating a campaign. */
export type DraftStep = keyof typeof words.names;

/** The progress of a draft. */
export interface DraftProgress {
  /** Links to the reachable steps. */
  readonly links: Readonly<Partial<Record<DraftStep, string>>>;
  readonly done: readonly DraftStep[];
  readonly current: DraftStep;
}

/** The step indicator of a draft: completed, current and remaining steps. */
export function draftSteps({ links, done, current }: DraftProgress): Html {
  const items = (Object.entries(words.names) as [DraftStep, string][]).map(([step, name]) => {
    const isDone = done.includes(step);
    const mark = isDone ? html` <span class="tick">${words.done}</span>` : noHtml;
    const href = links[step];
    const text =
      href === undefined || step === current
        ? html`<span${step === current ? html` aria-current="step"` : noHtml}>${name}${mark}</span>`
        : html`<a href="${href}">${name}${mark}</a>`;
    return html`<li>${text}</li>`;
  });
  return html`<nav aria-label="${words.steps}"><ol class="draft-steps">${joinHtml(items, '\n')}</ol></nav>`;
}

/** The steps of a draft campaign, with or without a line item. */
export function draftProgress(
  account: string,
  campaign: string,
  current: DraftStep,
  line?: { readonly id: string; readonly hasAudience: boolean; readonly hasAds: boolean },
): Html {
  const base = `/ads/${account}`;
  const ofCampaign = `${base}/campaigns/${campaign}`;
  const ofLine = line ? `${base}/line_items/${line.id}` : `${base}/line_items/new?campaign_id=${campaign}`;
  return draftSteps({
    current,
    links: {
      campaign: ofCampaign,
      line: ofLine,
      review: `${ofCampaign}/review`,
      ...(line && { audience: `${ofLine}#audience`, ads: `${ofLine}#ads` }),
    },
    done: [
      'campaign',
      ...(line ? (['line'] as const) : []),
      ...(line?.hasAudience ? (['audience'] as const) : []),
      ...(line?.hasAds ? (['ads'] as const) : []),
    ],
  });
}
