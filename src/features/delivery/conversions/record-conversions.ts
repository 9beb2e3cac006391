import { addSeconds, formatInstant, instantMs } from '../../../base/instants.ts';
import { uuid } from '../../../base/random.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { type ErrorDetail, Problem } from '../../../contract/problems/problems.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { type LineItem, lineItems } from '../../ads/line-items.ts';
import { type WebEventTag, webEventTags } from '../../ads/web-event-tags.ts';
import { addToLedger, lockLedger } from '../ledger-writer.ts';
import { attribute } from './attribution.ts';
import { CLICK_ID_TTL_S } from './click-id.ts';
import { countForClick } from './click-limits.ts';
import { type AttributedConversion, deliveredBy } from './conversion-numbers.ts';
import type { Reporter } from './find-reporter.ts';
import { type Match, matchConversions } from './match-conversions.ts';
import { type Conversion, memberOf } from './read-conversions.ts';

/** When conversions were reported (UTC text), and by whom: the account, or any visitor of the website. */
interface Report {
  readonly now: string;
  readonly by: 'account' | 'visitor';
  /** The id of the waiting conversion; undefined for new ones. */
  readonly waited?: string;
}

/** The job kind that retries waiting conversions, by account. */
export const WAITING_CONVERSIONS = 'conversions.waiting';
/** Interval of retries, in seconds. @source decision 1123 */
const RETRIED_EVERY_S = 2;

/** Plans the next retry of the waiting conversions of an account. */
export async function planRetry(tx: WriteTransaction, account: string, now: string): Promise<void> {
  const run_at = addSeconds(now, RETRIED_EVERY_S);
  await tx.jobs.planNoLaterThan({ kind: WAITING_CONVERSIONS, key: account, run_at });
}

/** A tag is marked as tracked at most this often, in seconds, so that a busy website does not write with each event. */
const TRACKED_EVERY_S = 60;

/**
 * Records conversions of an account: marks their tags as tracked and, where ads are served, attributes the conversions and
 * adds them to the ledger, each once. All or nothing. Those whose click may still count wait.
 * @throws CONVERSION_EVENT_UNKNOWN or, when a visitor reports them, CONVERSION_BEYOND_CLICK
 * @source decision 994, 995, 996, 1071 and 1123
 */
export async function recordConversions(
  services: Pick<Services, 'store' | 'delivery' | 'box' | 'audiences' | 'random'>,
  account: Reporter,
  conversions: readonly Conversion[],
  { now, by, waited }: Report,
): Promise<void> {
  const { store, delivery } = services;
  const tags = await store.read((tx) => tagsOf(tx, account, conversions));
  checkEvents(tags, account, conversions);
  const isServed = delivery.mode(account.environment) === 'served';
  const of = { account: account.id, environment: account.environment, now };
  const { matches, waiting } = isServed ? await matchConversions(conversions, of, services) : NO_MATCHES;
  if (waited !== undefined && waiting.length > 0) return;
  const toAdd = waiting.map((conversion) => ({
    account_id: account.id,
    id: uuid(services.random),
    conversion: JSON.stringify(conversion),
    reported_by: by,
    reported_at: now,
  }));
  if (matches.size + toAdd.length === 0 && waited === undefined && notTracked(tags, now).length === 0) return;
  await store.write(async (tx) => {
    // Locked, so that conversions of a tag that are reported at once are counted once.
    const locked = await tagsOf(tx, account, conversions, true);
    checkEvents(locked, account, conversions);
    const due = notTracked(locked, now);
    if (due.length > 0) await tx.records.updateAll(webEventTags, account.id, due, { last_tracked_at: now });
    await tx.conversions.addWaiting(toAdd);
    if (toAdd.length > 0) await planRetry(tx, account.id, now);
    // Another node has retried it meanwhile.
    if (waited !== undefined && (await tx.conversions.removeWaiting(account.id, waited)) === 0) return;
    const known = [...matches.keys()].filter((conversion) => !waiting.includes(conversion));
    const fresh = await notCounted(tx, account, known);
    if (fresh.length > 0) await count(tx, account, fresh, { matches, tags: locked, now, by });
  });
}

const NO_MATCHES = { matches: new Map<Conversion, Match>(), waiting: [] as readonly Conversion[] };

/** Attributes conversions and adds them to the ledger. */
async function count(
  tx: WriteTransaction,
  account: Reporter,
  conversions: readonly Conversion[],
  { matches, tags, now, by }: Report & { readonly matches: ReadonlyMap<Conversion, Match>; readonly tags: Tags },
): Promise<void> {
  const attributed = await attributeAll(tx, account, conversions, matches, tags);
  if (attributed.size === 0) return;
  for (const [conversion, { value_micro, currency }] of by === 'visitor' ? attributed : []) {
    const [click] = matches.get(conversion)!.clicks;
    await countForClick(tx, { conversion, click: click!, currency, value_micro });
  }
  await tx.conversions.saveCounted(
    [...attributed.keys()].flatMap(({ event_id: web_event_tag_id, conversion_id, converted_at }) =>
      conversion_id === undefined ? [] : [{ account_id: account.id, web_event_tag_id, conversion_id, converted_at }],
    ),
  );
  await lockLedger(tx, account.id, now);
  await addToLedger(tx, account, deliveredBy([...attributed.values()], account.timezone), now);
}

type Tags = ReadonlyMap<string, WebEventTag>;

async function tagsOf(
  tx: ReadTransaction,
  { id }: Reporter,
  conversions: readonly Conversion[],
  lock = false,
): Promise<Tags> {
  const ids = [...new Set(conversions.map(({ event_id }) => event_id))].sort();
  const rows = await tx.records.getMany(webEventTags, id, ids, { deleted: 'hidden', lock });
  return new Map(rows.map((row) => [row.id, row as WebEventTag]));
}

/** Refuses events that are no tags of the account. */
function checkEvents(tags: Tags, { id }: Reporter, conversions: readonly Conversion[]): void {
  const errors = conversions.flatMap(({ event_id: raw, place }): ErrorDetail[] => {
    if (tags.has(raw)) return [];
    const parameter = memberOf(place, 'event_id');
    return [{ problem: 'CONVERSION_EVENT_UNKNOWN', parameter, words: { raw: raw.slice(0, 64), account: id } }];
  });
  if (errors.length > 0) throw new Problem(errors);
}

/** The tags that have to be marked as tracked. */
function notTracked(tags: Tags, now: string): string[] {
  const before = addSeconds(now, -TRACKED_EVERY_S);
  return [...tags.values()].filter(({ last_tracked_at: last }) => last === null || last <= before).map(({ id }) => id);
}

/** Conversions that were not counted before; of those with one conversion id, the first. */
async function notCounted(
  tx: ReadTransaction,
  { id }: Reporter,
  conversions: readonly Conversion[],
): Promise<Conversion[]> {
  const seen = new Set<string>();
  for (const [tag, own] of Map.groupBy(conversions, ({ event_id }) => event_id)) {
    const ids = [...new Set(own.flatMap(({ conversion_id }) => conversion_id ?? []))];
    for (const known of await tx.conversions.listCounted(id, tag, ids)) seen.add(`${tag} ${known.conversion_id}`);
  }
  return conversions.filter(({ event_id, conversion_id }) => {
    if (conversion_id === undefined) return true;
    const key = `${event_id} ${conversion_id}`;
    const isFresh = !seen.has(key);
    seen.add(key);
    return isFresh;
  });
}

/** With the currency of the line item. */
type Attributed = AttributedConversion & { readonly currency: string };

/** The conversions that count for a line item. */
async function attributeAll(
  tx: ReadTransaction,
  { id }: Reporter,
  conversions: readonly Conversion[],
  matches: ReadonlyMap<Conversion, Match>,
  tags: Tags,
): Promise<Map<Conversion, Attributed>> {
  const persons = [...new Set(conversions.flatMap((each) => matches.get(each)?.persons ?? []))];
  const earliest = Math.min(...conversions.map(({ converted_at }) => instantMs(converted_at)));
  const since = formatInstant(earliest - CLICK_ID_TTL_S * 1000);
  const stored = Map.groupBy(await tx.conversions.listTouches(id, persons, since), ({ person }) => person);
  const touchesOf = (conversion: Conversion) => {
    const { clicks = [], persons: own = [] } = matches.get(conversion) ?? {};
    return [...clicks, ...own.flatMap((person) => stored.get(person) ?? [])];
  };
  const named = [...new Set(conversions.flatMap(touchesOf).map(({ line_item_id }) => line_item_id))];
  const rows = await tx.records.getMany(lineItems, id, named, { deleted: 'shown' });
  const lines = new Map(rows.map((row) => [row.id, row]));
  const found = new Map<Conversion, Attributed>();
  for (const conversion of conversions) {
    const { converted_at } = conversion;
    const tag = tags.get(conversion.event_id)!;
    const counting = touchesOf(conversion).filter(({ line_item_id }) => isMeasuredBy(lines.get(line_item_id), tag));
    const windows = {
      click_window: Number(tag.click_window),
      view_through_window: Number(tag.view_through_window),
    };
    const touch = attribute(counting, { converted_at, ...windows });
    if (touch) found.set(conversion, countedFor(conversion, tag, touch, lines.get(touch.line_item_id)!));
  }
  return found;
}

/** Whether a tag measures a line item: it is its primary tag, or the line item leads to websites and has none. */
function isMeasuredBy(line: LineItem | undefined, { id }: WebEventTag): boolean {
  if (!line) return false;
  return line.primary_web_event_tag === null ? line.objective === 'WEBSITE_CLICKS' : line.primary_web_event_tag === id;
}

function countedFor(
  { converted_at, number_items, value_micro, currency }: Conversion,
  tag: WebEventTag,
  touch: AttributedConversion['touch'],
  line: LineItem,
): Attributed {
  const { id, campaign_id, funding_instrument_id } = line;
  return {
    line_item: { id, campaign_id: String(campaign_id), funding_instrument_id: String(funding_instrument_id) },
    touch,
    web_event_tag_id: tag.id,
    type: tag.type!,
    converted_at,
    number_items,
    currency: String(line.currency),
    // Amounts in other currencies cannot be added. @source decision 995
    value_micro: currency === undefined || currency === line.currency ? value_micro : 0,
  };
}
