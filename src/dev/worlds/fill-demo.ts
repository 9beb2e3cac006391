import { formatInstant } from '../../base/instants.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { UploadParser } from '../../contract/store/audiences.ts';
import { readLiveRows } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { parseFast } from '../../features/audiences/uploads/fast-path.ts';
import { demoContents, OPEN_POLL } from '../demo-contents.ts';
import { placeDemoMedia } from '../demo-media.ts';
import { type DemoKeys, demoAccountId } from '../demo-world.ts';
import { Complaints, locatePlain } from './checker.ts';
import type { FullDependencies } from './create-world.ts';
import { type AccountCall, fillAccount } from './fill-account.ts';
import { checkWorld } from './world.ts';

/**
 * Creates the contents of the account of the demo world: campaigns, posts and so on. `readers` are the e-mail
 * addresses of people of the directory, who are in an audience. Resolves with a function that calls further operations.
 * @source decision 902
 */
export async function fillDemoWorld(
  deps: Omit<FullDependencies, 'hashPassword'>,
  keys: DemoKeys,
  readers: readonly string[],
): Promise<AccountCall> {
  const services = { ...deps.services, audiences: parsingHere(deps.services.audiences) };
  const now = formatInstant(services.clock.now());
  const id = demoAccountId(deps.settings);
  const complaints = new Complaints('the demo world');
  const root = locatePlain({
    users: { ada: null, ben: null },
    applications: { demo: null },
    accounts: { demo: demoContents(readers) },
  });
  const { accounts } = checkWorld(root, { ...deps, complaints, now });
  const [demo, instruments] = await services.store.read(async (tx) => [
    await tx.credentials.findDemo(),
    await readLiveRows(tx, fundingInstruments, id),
  ]);
  const users = new Map([
    ['ada', keys.user_id],
    ['ben', keys.other_user_id],
  ]);
  const own = { account: id, user: (key: string) => users.get(key)!, instruments: instruments.map((row) => row.id) };
  const caller = { application: demo!.id, tokenId: '', token: keys.access_token };
  const media = await placeDemoMedia(services, { user: keys.user_id, now });
  const ids: Record<string, string> = {};
  const call = await fillAccount(
    { ...deps, services },
    { users, caller },
    { account: accounts[0]!, ids: own },
    { complaints, ids, folder: '', uploaded: media.keys },
  );
  complaints.refuse();
  const idOf = (path: string): string => ids[`accounts.demo.${path}`]!;
  await Promise.all([
    media.synced,
    combineAudiences(call, idOf),
    showMedia(call, idOf('campaigns.preroll.line_items.cheerful')),
  ]);
  return call;
}

/**
 * Adds recent events to the demo world, when the clock shows the present: its website reports an order and a visit, and a
 * poll opens.
 * @source decision 1202
 */
export async function resumeDemoWorld(call: AccountCall, now: string): Promise<void> {
  const [card] = await call('poll_cards.create', { raw: rawOf(OPEN_POLL.card) });
  await call('posts.create', { raw: rawOf({ ...OPEN_POLL.post, card_uri: String(card!.card_uri) }) });
  const tags = await call('web_event_tags.list');
  const conversions = tags.map(({ id, type }) => ({
    conversion_time: now,
    event_id: id,
    conversion_id: `${String(type).toLowerCase()}-1001`,
    identifiers: [{ ip_address: '192.0.2.7', user_agent: 'Browser' }],
  }));
  await call('conversions.send', { body: { conversions } });
}

/** An audience that combines others: those can only be created in a batch. */
async function combineAudiences(call: AccountCall, idOf: (path: string) => string): Promise<void> {
  const leafOf = (name: string, negate: boolean) => ({
    custom_audience_id: idOf(`custom_audiences.${name}`),
    negate,
  });
  const params = {
    name: 'Readers who supply nothing',
    audience_type: 'FLEXIBLE',
    segments: { boolean_operator: 'AND', child_segments: [leafOf('newsletter', false), leafOf('suppliers', true)] },
  };
  await call('custom_audiences.batch', { body: [{ operation_type: 'Create', params }] });
}

/** Shows the video of the account media before the videos of publishers. */
async function showMedia(call: AccountCall, line: string): Promise<void> {
  const found = await call('account_media.list', { raw: rawOf({ creative_types: 'PREROLL' }) });
  await call('media_creatives.create', { raw: rawOf({ line_item_id: line, account_media_id: String(found[0]!.id) }) });
}

const rawOf = (members: Readonly<Record<string, RawValue>>): Map<string, RawValue> => new Map(Object.entries(members));

/** So few people need no thread of their own. */
function parsingHere(audiences: Services['audiences']): Services['audiences'] {
  const { uploads } = audiences;
  const read: UploadParser['read'] = async (body, now_s, rules) =>
    parseFast(body, now_s, rules) ?? uploads.read(body, now_s, rules);
  return { ...audiences, uploads: { ...uploads, read } };
}
