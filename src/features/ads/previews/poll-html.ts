import { type Html, html } from '../../../base/html.ts';
import type { PollCard } from '../cards/poll-cards.ts';
import { closesAt } from '../cards/poll-computed-fields.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { buttonHtml, mediaHtml } from './html-elements.ts';
import { timeHtml } from './time-html.ts';

/** A poll with its choices and closing time. */
export function pollHtml(row: PollCard, media: ReadonlyMap<string, MediaDetails>, isClosed: boolean): Html {
  const choices = [row.first_choice, row.second_choice, row.third_choice, row.fourth_choice];
  const buttons = choices.filter((choice) => choice !== null).map((choice) => buttonHtml(choice, { isOff: isClosed }));
  return html`<section class="card poll" aria-label="Poll">
${mediaHtml(media.get(row.media_key ?? ''), 'Shown with the poll')}
<ul class="choices">${buttons.map((button) => html`<li>${button}</li>`)}</ul>
<p class="host">${isClosed ? 'Closed' : 'Closes'} ${timeHtml(closesAt(row))}</p>
</section>`;
}
