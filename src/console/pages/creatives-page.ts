import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { createInputs, postForm, readTyped, savedNotice, textIn } from '../parts/entity-form.ts';
import { type Problems, problemSummary, problemsOf, refusalText } from '../parts/form-problems.ts';

const words = texts.creatives;
const PATH = '/creatives';
const WRITERS = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER'];
const CHOICES = Object.keys(words.choices) as (keyof typeof words.choices)[];
const NAMES = ['text', 'name', 'headline', 'url'];
const DAYS_MAX = 7;
const MINUTES_A_DAY = 1440;

interface Post {
  readonly post_id: string;
  readonly full_text: string;
  readonly nullcast: boolean;
  readonly created_at: string;
}

/** `/ads/:account_id/creatives`: the posts that can be promoted, and a form to write one. */
export function creativesPage(deps: ConsoleDeps): Page {
  return accountPage(deps, PATH, ['GET', 'POST'], async (visit) => {
    const { request, call } = visit;
    const loginPath = deps.redirectToLogin(request.path).location!;
    if (request.method === 'GET') return show(visit, loginPath);
    const [text, name, media] = ['text', 'name', 'media'].map((each) => textIn(request, each));
    const card = await cardOf(visit);
    if ('problems' in card) return show(visit, loginPath, card.problems);
    const shows = card.uri === undefined ? media && { media_keys: media } : { card_uri: card.uri };
    const reply = await call('posts.create', { text, ...(name && { name }), ...shows, nullcast: true });
    return reply.isDone ? redirectTo(visit, `${PATH}?created=1`) : show(visit, loginPath, problemsOf(reply, NAMES));
  });
}

type MadeCard = { readonly uri: string | undefined } | { readonly problems: Problems };

/** Creates the card of a post: a website card, a poll, or none. */
async function cardOf(visit: AccountVisit): Promise<MadeCard> {
  const isLink = textIn(visit.request, 'headline') !== '' || textIn(visit.request, 'url') !== '';
  const isPoll = CHOICES.some((each) => textIn(visit.request, each) !== '');
  if (isLink && isPoll) return { problems: new Map([['first_choice', words.pollOrLink]]) };
  if (isLink) return linkOf(visit);
  return isPoll ? pollOf(visit) : { uri: undefined };
}

/** Creates a website card: the picture or video with a headline links to a website. */
async function linkOf(visit: AccountVisit): Promise<MadeCard> {
  const { call } = visit;
  const headline = textIn(visit.request, 'headline');
  const url = textIn(visit.request, 'url');
  const media_key = textIn(visit.request, 'media');
  const problems = new Map<string, string>();
  if (!headline) problems.set('headline', words.noHeadline);
  if (!url) problems.set('url', words.noUrl);
  if (!media_key) problems.set('', words.noPicture);
  if (problems.size > 0) return { problems };
  await addToLibrary(visit, media_key, headline);
  const details = { type: 'DETAILS', title: headline, destination: { type: 'WEBSITE', url } };
  const reply = await call('cards.create', {}, { name: headline, components: [{ type: 'MEDIA', media_key }, details] });
  if (reply.isDone) return { uri: reply.reply.data.card_uri };
  for (const refusal of reply.refusals) {
    const field = /\.url$/.test(refusal.parameter ?? '')
      ? 'url'
      : /\.title$/.test(refusal.parameter ?? '')
        ? 'headline'
        : '';
    problems.set(field, refusalText({ ...refusal, parameter: field === '' ? words.picture : field }));
  }
  return { problems };
}

/** Creates a poll card. */
async function pollOf(visit: AccountVisit): Promise<MadeCard> {
  const choices = Object.fromEntries(CHOICES.map((each) => [each, textIn(visit.request, each)]));
  const missing = CHOICES.slice(0, 2).find((each) => choices[each] === '');
  if (missing !== undefined) return { problems: new Map([[missing, words.needsChoices]]) };
  const media_key = textIn(visit.request, 'media');
  if (media_key) await addToLibrary(visit, media_key, choices.first_choice!);
  const reply = await visit.call('poll_cards.create', {
    ...Object.fromEntries(Object.entries(choices).filter(([, text]) => text !== '')),
    ...(media_key && { media_key }),
    name: textIn(visit.request, 'name') || choices.first_choice!,
    duration_in_minutes: textIn(visit.request, 'duration_in_minutes'),
  });
  return reply.isDone
    ? { uri: reply.reply.data.card_uri }
    : { problems: problemsOf(reply, [...CHOICES, 'duration_in_minutes']) };
}

/** Adds media to the library, which cards require; it may be there from an earlier attempt. */
async function addToLibrary({ call }: AccountVisit, media_key: string, name: string): Promise<void> {
  await call('media_library.create', { media_key, name });
}

async function show(visit: AccountVisit, loginPath: string, problems: Problems = new Map()): Promise<PageResponse> {
  const { request, read, permissions } = visit;
  const canWrite = permissions.some((each) => WRITERS.includes(each));
  const parameters = { post_type: 'PUBLISHED', timeline_type: 'ALL', trim_user: true, count: 200 };
  const posts: readonly Post[] = await read('posts.list', parameters);
  const previews = canWrite ? await previewsOf(visit, posts) : new Map<string, string>();
  const rows = posts.map(({ post_id, full_text, nullcast }) => {
    const href = previews.get(String(post_id));
    const link =
      href === undefined
        ? ''
        : html`<a href="${href}" target="_blank" rel="noopener" aria-label="${words.previewOf(full_text)}">${words.preview}</a>`;
    return html`<tr><th scope="row" class="prose">${full_text}</th><td>${nullcast ? words.onlyAd : words.everywhere}</td>${canWrite ? html`<td>${link}</td>` : ''}</tr>`;
  });
  const typed = readTyped(request);
  const input = createInputs(typed, problems);
  const form = html`${input('text', words.text, html`rows="4" required maxlength="4000"`, { hint: words.textHint, type: 'textarea' })}
${composerPlace(visit, loginPath, typed('media'))}
<fieldset><legend>${words.link}</legend><p class="soft">${words.linkAbout}</p>
${input('headline', words.headline, html`maxlength="70"`)}
${input('url', words.url, html`inputmode="url" maxlength="2000" autocomplete="off"`, { hint: words.urlHint })}
</fieldset>
${pollFields(typed, problems)}
${input('name', words.name, html`maxlength="80"`, { hint: words.nameHint })}`;
  return consolePage(visit, {
    problems,
    title: words.title,
    islands: canWrite ? ['composer'] : [],
    content: html`${savedNotice(request, 'created', words.created)}${problemSummary(problems)}
${
  rows.length === 0
    ? html`<div class="empty"><h2>${words.none}</h2><p>${words.noneAbout}</p></div>`
    : html`<p class="soft">${words.about}</p><div class="scroll"><table><thead><tr><th scope="col">${words.text}</th><th scope="col">${words.kind}</th>${canWrite ? html`<td></td>` : ''}</tr></thead><tbody>
${joinHtml(rows, '\n')}
</tbody></table></div>`
}
${canWrite ? html`<section class="card after"><h2>${words.write}</h2>${postForm(request, 'create', form, words.create)}</section>` : ''}`,
  });
}

/** The fields of a poll, collapsed while empty. */
function pollFields(typed: (name: string) => string, problems: Problems): Html {
  const isOpen = CHOICES.some((each) => typed(each) !== '' || problems.has(each));
  const input = createInputs(typed, problems);
  const choices = CHOICES.map((member) => input(member, words.choices[member], html`maxlength="25"`));
  const days = Array.from({ length: DAYS_MAX }, (_, at) => at + 1);
  const durations = days.map((each) => [String(each * MINUTES_A_DAY), words.daysText(each)] as const);
  const name = 'duration_in_minutes';
  return html`<details${isOpen ? html` open` : ''}><summary>${words.poll}</summary><p class="soft">${words.pollAbout}</p>
${joinHtml(choices, '\n')}
${selectField(name, words.duration, durations, typed(name), { error: problems.get(name) })}
</details>`;
}

/** The mount point of the composer, which uploads media and previews the post; without scripts, posts have no media. */
function composerPlace({ account, request }: AccountVisit, loginPath: string, media: string): Html {
  const input = JSON.stringify({
    path: `/console/api/${account.environment}/1.1/media/upload`,
    loginPath,
    media,

    textField: 'text',
    headlineField: 'headline',
    urlField: 'url',
    choiceFields: CHOICES,
    author: request.user.screen_name,
    words: texts.composer,
  });
  return html`<div data-island="composer" data-input="${input}"><p class="soft">${texts.composer.needsScript}</p></div>`;
}

/** Preview URLs by post id. */
async function previewsOf({ read }: AccountVisit, posts: readonly Post[]): Promise<ReadonlyMap<string, string>> {
  if (posts.length === 0) return new Map();
  const post_ids = posts.map(({ post_id }) => post_id).join(',');
  const found: { readonly post_id: string; readonly preview: string }[] = await read('post_previews.list', {
    post_ids,
    post_type: 'PUBLISHED',
  });
  return new Map(found.map(({ post_id, preview }) => [post_id, /src='([^']+)'/.exec(preview)![1]!]));
}
