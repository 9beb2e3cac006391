import assert from 'node:assert/strict';
import {
  type Account,
  accountRule,
  dataOf,
  echoOf,
  expectErrors,
  idsOf,
  invalid,
  type Json,
  missing,
  type Values,
} from '../account.ts';
import { expectStatus } from '../expect.ts';
import type { Rule } from '../rule.ts';
import { cardImage, cardVideo } from './media.ts';

const WEBSITE = { type: 'WEBSITE', url: 'https://shop.example/winter' };
const DETAILS = { type: 'DETAILS', title: 'Winter', destination: WEBSITE };
const APP = { type: 'APP', country_code: 'CA', android_store_app_id: 'com.conformance.app' };
const BUTTON = { type: 'BUTTON', label: { type: 'ENUM', value: 'ORDER' }, destination: APP };

function sendCard(account: Account, json: Json): Promise<Json> {
  return account.call('POST', 'cards', {}, { json: { name: 'Conformance', ...json } });
}

/** A card with an image, removed after the check. */
async function card(account: Account, more: Json = DETAILS): Promise<Json> {
  const media = { type: 'MEDIA', media_key: await cardImage(account) };
  const made = dataOf(await sendCard(account, { components: [media, more] }));
  account.api.finally(() => account.call('DELETE', `cards/${made.id}`));
  return made;
}

/** A check that components, put beside an image, are refused. */
function refuses(id: string, beside: Json, ...errors: readonly Json[]): Rule {
  return accountRule(id, async (account) => {
    const media = { type: 'MEDIA', media_key: await cardImage(account) };
    expectErrors(await sendCard(account, { components: [media, beside] }), 400, ...errors);
  });
}

/** Checks of component cards: section 5. */
const componentRules: readonly Rule[] = [
  accountRule('creatives 5.1.1', async (account) => {
    const { id } = await card(account);
    assert.deepEqual(idsOf(await account.get('cards', { card_id: id })), [id]);
    assert.deepEqual(idsOf(await account.get('cards', { card_id: id, include_legacy_cards: true })), [id]);
  }),
  accountRule('creatives 5.1.4', async (account) => {
    const { id } = await card(account);
    assert.equal(dataOf(await account.call('DELETE', `cards/${id}`)).deleted, true);
    expectErrors(await account.get(`cards/${id}`), 404, { code: 'CARD_NOT_FOUND' });
    assert.equal(dataOf(await account.get(`cards/${id}`, { with_deleted: true })).deleted, true);
  }),
  accountRule('creatives 5.2.1', async (account) => {
    const media = { type: 'MEDIA', media_key: await cardImage(account) };
    for (const components of [[], [media], [media, media], [DETAILS, BUTTON], [media, DETAILS, BUTTON]]) {
      const { status, body } = await sendCard(account, { components });
      assert.equal(status, 400);
      assert.match(body.errors[0].parameter, /^components/);
    }
  }),
  accountRule('creatives 5.2.2', async (account) => {
    const media = { type: 'MEDIA', media_key: await cardImage(account) };
    const slides = [
      [media, DETAILS],
      [media, DETAILS],
    ];
    const reply = await sendCard(account, { components: [media, DETAILS], slides });
    expectErrors(reply, 400, { code: 'EXCLUSIVE_PARAMETERS' });
  }),
  accountRule('creatives 5.2.3', async (account) => {
    expectErrors(await sendCard(account, {}), 400, missing('components'));
  }),
  refuses('creatives 5.2.4', { type: 'PAINT' }, { code: 'INVALID_PARAMETER', parameter: 'components[1].type' }),
  accountRule('creatives 5.2.5', async (account) => {
    const media = { type: 'MEDIA', media_key: await cardImage(account) };
    const made = dataOf(await sendCard(account, { components: [DETAILS, media] }));
    account.api.finally(() => account.call('DELETE', `cards/${made.id}`));
    assert.deepEqual(made.components, [DETAILS, media]);
  }),
  accountRule('creatives 5.2.6', async (account) => {
    const reply = await sendCard(account, { components: [{ type: 'MEDIA' }, DETAILS] });
    expectErrors(reply, 400, missing('components[0].media_key'));
  }),
  accountRule('creatives 5.2.7', async (account) => {
    const key = await cardImage(account);
    const swipe = (count: number) => ({ type: 'SWIPEABLE_MEDIA', media_keys: Array(count).fill(key) });
    for (const count of [1, 7]) {
      const error = { code: 'INVALID_PARAMETER', parameter: 'components[0].media_keys' };
      expectErrors(await sendCard(account, { components: [swipe(count), DETAILS] }), 400, error);
    }
    const { id } = await card(account);
    const json = { components: [swipe(1), DETAILS] };
    assert.equal(dataOf(await account.call('PUT', `cards/${id}`, {}, { json })).card_type, 'IMAGE_CAROUSEL_WEBSITE');
  }),
  refuses(
    'creatives 5.2.8',
    { ...DETAILS, title: 'x'.repeat(71) },
    invalid('Expected a maximum length of 70, got 71 for components[1].title', 'components[1].title'),
  ),
  refuses(
    'creatives 5.2.9',
    { ...DETAILS, destination: { type: 'WEBSITE', url: 'ftp://shop.example' } },
    invalid(
      'Expected an absolute http or https URL, got "ftp://shop.example" for components[1].destination.url',
      'components[1].destination.url',
    ),
  ),
  refuses('creatives 5.2.10', { type: 'BUTTON', destination: APP }, missing('components[1].label')),
  refuses(
    'creatives 5.2.11',
    { ...BUTTON, label: { type: 'ENUM', value: 'EAT' } },
    { code: 'INVALID_PARAMETER', parameter: 'components[1].label.value' },
  ),
  refuses(
    'creatives 5.2.12',
    { ...BUTTON, destination: { ...APP, country_code: 'ca' } },
    { code: 'INVALID_PARAMETER', parameter: 'components[1].destination.country_code' },
  ),
  refuses(
    'creatives 5.2.13',
    { ...BUTTON, destination: { ...APP, ios_deep_link: 'app://a' } },
    { code: 'INCLUSIVE_PARAMETERS' },
  ),
  refuses(
    'creatives 5.2.14',
    { ...DETAILS, destination: APP },
    { code: 'INVALID_PARAMETER', parameter: 'components[1].destination.type' },
  ),
  accountRule('creatives 5.2.15', async (account) => {
    const made = await card(account, { ...DETAILS, colour: 'red' });
    assert.deepEqual(made.components[1], DETAILS);
  }),
  accountRule('creatives 5.2.18', async (account) => {
    const { id } = await card(account);
    const reply = await account.call('PUT', `cards/${id}`, {}, { json: { name: 'x'.repeat(81) } });
    expectErrors(reply, 400, invalid('Expected a maximum length of 80, got 81 for name', 'name'));
  }),
  accountRule('creatives 5.3.1', async (account) => {
    const media = { type: 'MEDIA', media_key: await cardImage(account) };
    for (const slides of [[[media, DETAILS]], Array(2).fill([media, BUTTON])]) {
      const { status, body } = await sendCard(account, { slides });
      assert.equal(status, 400);
      assert.match(body.errors[0].parameter, /^slides/);
    }
  }),
  accountRule('creatives 5.3.2', async (account) => {
    const media = { type: 'MEDIA', media_key: await cardImage(account) };
    const made = dataOf(await sendCard(account, { slides: Array(2).fill([media, DETAILS]) }));
    account.api.finally(() => account.call('DELETE', `cards/${made.id}`));
    assert.deepEqual([made.slides.length, 'components' in made], [2, false]);
    assert.equal(made.card_type, 'IMAGE_MULTI_DEST_CAROUSEL_WEBSITE');
  }),
  accountRule('creatives 5.4.1', async (account) => {
    assert.equal((await card(account)).card_type, 'IMAGE_WEBSITE');
    const video = { type: 'MEDIA', media_key: await cardVideo(account) };
    const made = dataOf(await sendCard(account, { components: [video, DETAILS] }));
    account.api.finally(() => account.call('DELETE', `cards/${made.id}`));
    assert.equal(made.card_type, 'VIDEO_WEBSITE');
  }),
  accountRule('creatives 5.4.2', async (account) => {
    assert.equal((await card(account, BUTTON)).card_type, 'IMAGE_APP');
  }),
  accountRule('creatives 5.5.1', async (account) => {
    const made = await card(account);
    assert.deepEqual(dataOf(await account.call('PUT', `cards/${made.id}`, {}, { json: {} })), made);
  }),
  accountRule('creatives 5.5.2', async (account) => {
    const made = await card(account);
    const slides = Array(2).fill(made.components);
    const changed = dataOf(await account.call('PUT', `cards/${made.id}`, {}, { json: { slides } }));
    for (const name of ['id', 'card_uri', 'created_at']) assert.equal(changed[name], made[name]);
    assert.ok(!('components' in changed));
  }),
  accountRule('creatives 5.5.4', async (account) => {
    for (const method of ['PUT', 'DELETE']) {
      const options = method === 'PUT' ? { json: { name: 'New' } } : {};
      expectErrors(await account.call(method, 'cards/9', {}, options), 404, { code: 'CARD_NOT_FOUND' });
    }
  }),
  accountRule('creatives 5.5.6', async (account) => {
    const made = await card(account, BUTTON);
    assert.deepEqual(made.components[1], BUTTON);
  }),
  accountRule('creatives 1.1.3', async (account) => {
    const made = await card(account);
    const json = { name: 'Renamed', components: made.components };
    const reply = await account.call('PUT', `cards/${made.id}`, {}, { json });
    assert.deepEqual(echoOf(reply), { account_id: account.id, card_id: made.id, ...json });
  }),
  accountRule('creatives 1.2.22', async (account) => {
    const { id, card_uri } = await card(account);
    assert.deepEqual(idsOf(await account.get('cards', { card_ids: id })), [id]);
    assert.deepEqual(idsOf(await account.get('cards', { card_uris: card_uri.toUpperCase() })), [id]);
  }),
  accountRule('creatives 1.3.10', async (account) => {
    const code = 'UNKNOWN_CARD_TYPE';
    expectErrors(await account.get('cards', { card_types: 'PAPER' }), 400, { code, parameter: 'card_types' });
  }),
  accountRule('creatives 1.3.8', async (account) => {
    const reply = await sendCard(account, { components: [{ type: 'MEDIA', media_key: 'nope' }, DETAILS] });
    const message = 'Expected a media key, got "nope" for components[0].media_key';
    expectErrors(reply, 400, { code: 'INVALID_MEDIA_ID', message });
  }),
  accountRule('creatives 1.6.2', async (account) => {
    const { id, card_uri } = await card(account);
    assert.equal(card_uri, `card://${id}`);
    assert.match(id, /^\d{1,19}$/);
  }),
  accountRule('creatives 1.6.5', async (account) => {
    expectErrors(await account.get('cards/all'), 400, missing('card_uris'));
    for (const path of ['cards/poll', 'cards/image_conversation', 'cards/video_conversation']) {
      assert.ok(Array.isArray(dataOf(await account.get(path))), path);
    }
  }),
];

/** A good poll. */
export const POLL = { name: 'Vote', first_choice: 'Light', second_choice: 'Dark', duration_in_minutes: 1440 };

/** Checks of polls: section 6. */
const pollRules: readonly Rule[] = [
  accountRule('creatives 6.1', async (account) => {
    const { status, body } = await account.call('POST', 'cards/poll');
    assert.equal(status, 400);
    assert.deepEqual(body.errors.map(({ parameter }: Json) => parameter).sort(), Object.keys(POLL).sort());
    for (const raw of [4, 10_081]) {
      const message = `Expected int between 5 and 10080, got "${raw}" for duration_in_minutes`;
      const error = { ...invalid(message, 'duration_in_minutes'), details: 'value out of range', value: `${raw}` };
      expectErrors(await account.call('POST', 'cards/poll', { ...POLL, duration_in_minutes: raw }), 400, error);
    }
  }),
  accountRule('creatives 6.2', async (account) => {
    await account.create('cards/poll', { ...POLL, first_choice: '😀'.repeat(25), second_choice: '😀'.repeat(25) });
    const reply = await account.call('POST', 'cards/poll', { ...POLL, first_choice: 'x'.repeat(26) });
    const message = 'Expected a maximum length of 25, got 26 for first_choice';
    expectErrors(reply, 400, invalid(message, 'first_choice'));
  }),
  accountRule('creatives 6.3', async (account) => {
    const reply = await account.call('POST', 'cards/poll', { ...POLL, fourth_choice: 'Black' });
    expectErrors(reply, 400, { code: 'INCLUSIVE_PARAMETERS' });
  }),
  accountRule('creatives 6.4', async (account) => {
    assert.equal((await account.create('cards/poll', POLL)).card_type, 'TEXT_POLLS');
  }),
  accountRule('creatives 6.7', async (account) => {
    const { created_at, start_time, end_time } = await account.create('cards/poll', POLL);
    assert.equal(start_time, created_at);
    assert.equal(Date.parse(end_time) - Date.parse(start_time), 1440 * 60_000);
  }),
  accountRule('creatives 6.9', async (account) => {
    const { id } = await account.create('cards/poll', POLL);
    expectErrors(await account.call('PUT', `cards/poll/${id}`), 405, { code: 'METHOD_NOT_ALLOWED' });
  }),
  accountRule('creatives 6.10', async (account) => {
    const reply = await account.call('POST', 'cards/poll', POLL);
    assert.equal(dataOf(reply).duration_in_minutes, '1440');
    assert.equal(echoOf(reply).duration_in_minutes, 1440);
    account.api.finally(() => account.call('DELETE', `cards/poll/${dataOf(reply).id}`));
  }),
  accountRule('creatives 6.11', async (account) => {
    const made = await account.create('cards/poll', POLL);
    assert.deepEqual([made.third_choice, made.fourth_choice], [null, null]);
    for (const name of ['video_url', 'media_url', 'media_key', 'image_display_width']) assert.ok(!(name in made), name);
  }),
  accountRule('creatives 6.6', async (account) => {
    const media_key = await cardImage(account);
    const features = dataOf(await account.get('features'));
    const reply = await account.call('POST', 'cards/poll', { ...POLL, media_key });
    if (features.includes('PROMOTED_MEDIA_POLLS')) expectStatus(reply, 200);
    else expectErrors(reply, 400, { code: 'FEATURE_NOT_AVAILABLE' });
  }),
  accountRule('creatives 6.13', async (account) => {
    account.onlyInSandbox();
    const media_key = await cardImage(account);
    expectStatus(await account.call('POST', 'features', { feature_keys: 'PROMOTED_MEDIA_POLLS' }), 200);
    const made = await account.create('cards/poll', { ...POLL, media_key });
    expectStatus(await account.call('DELETE', 'features', { feature_keys: 'PROMOTED_MEDIA_POLLS' }), 200);
    assert.deepEqual(
      [made.card_type, made.image_display_width, made.image_display_height],
      ['IMAGE_POLLS', '1200', '628'],
    );
  }),
  accountRule('creatives 1.1.1', async (account) => {
    const reply = await account.call('POST', 'cards/poll', POLL);
    assert.ok(!('card_type' in echoOf(reply)));
    const { id } = dataOf(reply);
    assert.equal(echoOf(await account.get(`cards/poll/${id}`)).card_type, 'poll');
    assert.equal(echoOf(await account.call('DELETE', `cards/poll/${id}`)).card_type, 'poll');
  }),
  accountRule('creatives 1.7.2', async (account) => {
    const { id } = dataOf(await account.call('POST', 'cards/poll', POLL));
    const removed = dataOf(await account.call('DELETE', `cards/poll/${id}`));
    const members = ['id', 'name', 'created_at', 'updated_at', 'deleted', 'card_type', 'start_time'];
    assert.deepEqual(Object.keys(removed).sort(), members.sort());
  }),
  accountRule('creatives 1.7.5', async (account) => {
    const { id } = dataOf(await account.call('POST', 'cards/poll', POLL));
    await account.call('DELETE', `cards/poll/${id}`);
    const code = 'CARD_NOT_FOUND';
    expectErrors(await account.get(`cards/poll/${id}`, { with_deleted: true }), 404, { code });
    expectErrors(await account.call('DELETE', `cards/poll/${id}`), 404, { code });
    assert.deepEqual(idsOf(await account.get('cards/poll', { card_ids: id, with_deleted: true })), []);
  }),
];

const IMAGE_CARDS = 'cards/image_conversation';

/** What an image conversation card needs. */
async function conversation(account: Account, more: Values = {}): Promise<Values> {
  const media_key = await cardImage(account);
  const calls = { first_cta: '#Filter', first_cta_post: 'Filter all day' };
  return { name: 'Talk', title: 'Pick', ...calls, thank_you_text: 'Enjoy', media_key, ...more };
}

/** A check that a conversation card is refused. */
function refusesConversation(id: string, more: Values, ...errors: readonly Json[]): Rule {
  return accountRule(id, async (account) => {
    expectErrors(await account.call('POST', IMAGE_CARDS, await conversation(account, more)), 400, ...errors);
  });
}

/** Checks of conversation cards: sections 7 and 9. */
const conversationRules: readonly Rule[] = [
  accountRule('creatives 7.2', async (account) => {
    const { status, body } = await account.call('POST', IMAGE_CARDS, { title: 'Pick' });
    assert.equal(status, 400);
    const parameters = body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`).sort();
    const required = ['first_cta', 'first_cta_post', 'media_key', 'name', 'thank_you_text'];
    assert.deepEqual(
      parameters,
      required.map((name) => `MISSING_PARAMETER ${name}`),
    );
  }),
  refusesConversation('creatives 7.3', { title: '' }, missing('title')),
  refusesConversation('creatives 7.4', { second_cta: '#Press' }, { code: 'INCLUSIVE_PARAMETERS' }),
  accountRule('creatives 7.5', async (account) => {
    const made = await account.create(IMAGE_CARDS, await conversation(account, { first_cta: 'Filter_2' }));
    assert.equal(made.first_cta, '#Filter_2');
    const reply = await account.call('POST', IMAGE_CARDS, await conversation(account, { first_cta: '#a b' }));
    expectErrors(reply, 400, invalid('Expected a hashtag, got "#a b" for first_cta', 'first_cta'));
  }),
  refusesConversation(
    'creatives 7.6',
    { title: 'x'.repeat(24) },
    invalid('Expected a maximum length of 23, got 24 for title', 'title'),
  ),
  accountRule('creatives 7.7', async (account) => {
    const { id } = await account.create(
      IMAGE_CARDS,
      await conversation(account, { thank_you_url: 'https://a.example' }),
    );
    const changed = dataOf(await account.call('PUT', `${IMAGE_CARDS}/${id}`, { thank_you_url: '', name: 'New' }));
    assert.deepEqual([changed.thank_you_url, changed.name, changed.title], [null, 'New', 'Pick']);
    expectErrors(await account.call('PUT', `${IMAGE_CARDS}/${id}`, { title: '' }), 400, missing('title'));
  }),
  accountRule('creatives 7.10', async (account) => {
    for (const family of ['image', 'video']) {
      expectErrors(await account.get(`cards/${family}_conversation/zz9`), 404, { code: 'CARD_NOT_FOUND' });
    }
  }),
  accountRule('creatives 9.0.3', async (account) => {
    const made = await account.create(IMAGE_CARDS, await conversation(account));
    const { card_type, image_display_width, image_display_height, media_url } = made;
    const shown = [card_type, image_display_width, image_display_height, typeof media_url];
    assert.deepEqual(shown, ['IMAGE_CONVERSATION', '1200', '628', 'string']);
  }),
  accountRule('creatives 8.4', async (account) => {
    const media_key = await cardVideo(account);
    const made = await account.create('cards/video_conversation', await conversation(account, { media_key }));
    assert.deepEqual([made.card_type, made.video_width, made.video_height], ['VIDEO_CONVERSATION', '16', '9']);
  }),
  accountRule('creatives 8.1', async (account) => {
    const reply = await account.call('POST', 'cards/video_conversation', await conversation(account));
    expectErrors(reply, 400, { code: 'INVALID_MEDIA', parameter: 'media_key' });
  }),
  accountRule('creatives 9.1.1', async (account) => {
    const { card_uri, id } = await account.create('cards/poll', POLL);
    const component = await card(account);
    const reply = await account.get('cards/all', { card_uris: `${card_uri},${component.card_uri}` });
    assert.deepEqual(idsOf(reply), [id]);
    assert.equal(reply.body.next_cursor, null);
    assert.equal(dataOf(await account.get(`cards/all/${id}`)).id, id);
  }),
];

/** Checks of sections 5 to 9. */
export const cardRules: readonly Rule[] = [...componentRules, ...pollRules, ...conversationRules];
