import { html } from 'ghtml';
import type { PollCard } from '../cards/poll-cards.ts';
import { closesAt } from '../cards/poll-shown.ts';
import type { KnownMedia } from '../media/known-media.ts';
import { buttonHtml, mediaHtml } from './card-media.ts';
import { timeHtml } from './time.ts';

/** A poll with what can be chosen, and when it closes. */
export function pollHtml(row: PollCard, media: ReadonlyMap<string, KnownMedia>, isClosed: boolean): string {
  const choices = [row.first_choice, row.second_choice, row.third_choice, row.fourth_choice];
  const buttons = choices.filter((choice) => choice !== null).map((choice) => buttonHtml(choice, { isOff: isClosed }));
  return html`<section class="card poll" aria-label="Poll">
!${mediaHtml(media.get(row.media_key ?? ''), 'Shown with the poll')}
<ul class="choices">!${buttons.map((button) => `<li>${button}</li>`).join('')}</ul>
<p class="host">${isClosed ? 'Closed' : 'Closes'} !${timeHtml(closesAt(row))}</p>
</section>`;
}
