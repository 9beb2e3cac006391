import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { noticeBox } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { postForm } from '../parts/entity-form.ts';
import { type Problems, problemSummary, problemsOf, refusalText } from '../parts/form-problems.ts';
import { bodyOf } from '../refused-call.ts';

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

/** `/ads/:account_id/creatives`: the posts that ads can show, and a form for another one. */
export function creativesPage(deps: ConsoleDeps): Page {
  return accountPage(deps, PATH, ['GET', 'POST'], async (visit) => {
    const { request, call } = visit;
    const loginPath = deps.redirectToLogin(request.path).location!;
    if (request.method === 'GET') return shown(visit, loginPath);
    const [text, name, media] = ['text', 'name', 'media'].map((each) => typedIn(visit, each));
    const card = await cardOf(visit);
    if ('problems' in card) return shown(visit, loginPath, card.problems);
    const shows = card.uri === undefined ? media && { media_keys: media } : { card_uri: card.uri };
    const reply = await call('posts.create', { parameters: { text, ...(name && { name }), ...shows, nullcast: true } });
    return reply.isDone ? redirectTo(visit, `${PATH}?created=1`) : shown(visit, loginPath, problemsOf(reply, NAMES));
  });
}

type MadeCard = { readonly uri: string | undefined } | { readonly problems: Problems };

const typedIn = ({ request }: AccountVisit, name: string): string => request.parameter(name)?.trim() ?? '';

/** Makes the card of a post: a link, a poll, or none. */
async function cardOf(visit: AccountVisit): Promise<MadeCard> {
  const isLink = typedIn(visit, 'headline') !== '' || typedIn(visit, 'url') !== '';
  const isPoll = CHOICES.some((each) => typedIn(visit, each) !== '');
  if (isLink && isPoll) return { problems: new Map([['first_choice', words.pollOrLink]]) };
  if (isLink) return linkOf(visit);
  return isPoll ? pollOf(visit) : { uri: undefined };
}

/** The card of a post whose picture or video is a link: it leads to a website, with a headline. */
async function linkOf(visit: AccountVisit): Promise<MadeCard> {
  const { call } = visit;
  const headline = typedIn(visit, 'headline');
  const url = typedIn(visit, 'url');
  const media_key = typedIn(visit, 'media');
  const problems = new Map<string, string>();
  if (!headline) problems.set('headline', words.noHeadline);
  if (!url) problems.set('url', words.noUrl);
  if (!media_key) problems.set('', words.noPicture);
  if (problems.size > 0) return { problems };
  await addToLibrary(visit, media_key, headline);
  const details = { type: 'DETAILS', title: headline, destination: { type: 'WEBSITE', url } };
  const reply = await call('cards.create', {
    body: { name: headline, components: [{ type: 'MEDIA', media_key }, details] },
  });
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

/** The card of a post that asks something. */
async function pollOf(visit: AccountVisit): Promise<MadeCard> {
  const choices = Object.fromEntries(CHOICES.map((each) => [each, typedIn(visit, each)]));
  const missing = CHOICES.slice(0, 2).find((each) => choices[each] === '');
  if (missing !== undefined) return { problems: new Map([[missing, words.needsChoices]]) };
  const media_key = typedIn(visit, 'media');
  if (media_key) await addToLibrary(visit, media_key, choices.first_choice!);
  const reply = await visit.call('poll_cards.create', {
    parameters: {
      ...Object.fromEntries(Object.entries(choices).filter(([, text]) => text !== '')),
      ...(media_key && { media_key }),
      name: typedIn(visit, 'name') || choices.first_choice!,
      duration_in_minutes: typedIn(visit, 'duration_in_minutes'),
    },
  });
  return reply.isDone
    ? { uri: reply.reply.data.card_uri }
    : { problems: problemsOf(reply, [...CHOICES, 'duration_in_minutes']) };
}

/** Cards take what the library has; it may be there from the last attempt. */
async function addToLibrary({ call }: AccountVisit, media_key: string, name: string): Promise<void> {
  await call('media_library.create', { parameters: { media_key, name } });
}

async function shown(visit: AccountVisit, loginPath: string, problems: Problems = new Map()): Promise<PageResponse> {
  const { request, call, permissions } = visit;
  const canWrite = permissions.some((each) => WRITERS.includes(each));
  const parameters = { post_type: 'PUBLISHED', timeline_type: 'ALL', trim_user: true, count: 200 };
  const posts: readonly Post[] = bodyOf(await call('posts.list', { parameters })).data;
  const previews = canWrite ? await previewsOf(visit, posts) : new Map<string, string>();
  const rows = posts.map(({ post_id, full_text, nullcast }) => {
    const href = previews.get(String(post_id));
    const link =
      href === undefined
        ? ''
        : html`<a href="${href}" target="_blank" rel="noopener" aria-label="${words.previewOf(full_text)}">${words.preview}</a>`;
    return html`<tr><th scope="row" class="prose">${full_text}</th><td>${nullcast ? words.onlyAd : words.everywhere}</td>${canWrite ? html`<td>${link}</td>` : ''}</tr>`;
  });
  const typed = (name: string): string => (request.method === 'POST' ? (request.parameter(name) ?? '') : '');
  const form = html`${formField({ member: 'text', label: words.text, hint: words.textHint, type: 'textarea', attributes: html`rows="4" required maxlength="4000"` }, typed('text'), problems.get('text'))}
${composerPlace(visit, loginPath, typed('media'))}
<fieldset><legend>${words.link}</legend><p class="soft">${words.linkAbout}</p>
${formField({ member: 'headline', label: words.headline, attributes: html`maxlength="70"` }, typed('headline'), problems.get('headline'))}
${formField({ member: 'url', label: words.url, hint: words.urlHint, attributes: html`inputmode="url" maxlength="2000" autocomplete="off"` }, typed('url'), problems.get('url'))}
</fieldset>
${pollFields(typed, problems)}
${formField({ member: 'name', label: words.name, hint: words.nameHint, attributes: html`maxlength="80"` }, typed('name'), problems.get('name'))}`;
  return consolePage(visit, {
    status: problems.size > 0 ? 400 : 200,
    title: words.title,
    islands: canWrite ? ['composer'] : [],
    content: html`${noticeBox(request.method === 'GET' && request.parameter('created') ? words.created : undefined)}${problemSummary(problems)}
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

/** The fields of a poll, folded away until somebody wants one. */
function pollFields(typed: (name: string) => string, problems: Problems): Html {
  const isOpen = CHOICES.some((each) => typed(each) !== '' || problems.has(each));
  const choices = CHOICES.map((member) =>
    formField(
      { member, label: words.choices[member], attributes: html`maxlength="25"` },
      typed(member),
      problems.get(member),
    ),
  );
  const days = Array.from({ length: DAYS_MAX }, (_, at) => at + 1);
  const durations = days.map((each) => [String(each * MINUTES_A_DAY), words.daysText(each)] as const);
  const name = 'duration_in_minutes';
  return html`<details${isOpen ? html` open` : ''}><summary>${words.poll}</summary><p class="soft">${words.pollAbout}</p>
${joinHtml(choices, '\n')}
${selectField(name, words.duration, durations, typed(name), { error: problems.get(name) })}
</details>`;
}

/** Where the script offers a picture or video and shows the post; without it, a post has neither. */
function composerPlace({ account, request }: AccountVisit, loginPath: string, media: string): Html {
  const input = JSON.stringify({
    ...{ path: `/console/api/${account.environment}/1.1/media/upload`, loginPath, media },
    ...{
      textField: 'text',
      headlineField: 'headline',
      urlField: 'url',
      choiceFields: CHOICES,
      author: request.user!.screen_name,
      words: texts.composer,
    },
  });
  return html`<div data-island="composer" data-input="${input}"><p class="soft">${texts.composer.needsScript}</p></div>`;
}

/** Where each post is shown as people see it, by its id. */
async function previewsOf({ call }: AccountVisit, posts: readonly Post[]): Promise<ReadonlyMap<string, string>> {
  if (posts.length === 0) return new Map();
  const post_ids = posts.map(({ post_id }) => post_id).join(',');
  const found: { readonly post_id: string; readonly preview: string }[] = bodyOf(
    await call('post_previews.list', { parameters: { post_ids, post_type: 'PUBLISHED' } }),
  ).data;
  return new Map(found.map(({ post_id, preview }) => [post_id, /src='([^']+)'/.exec(preview)![1]!]));
}
