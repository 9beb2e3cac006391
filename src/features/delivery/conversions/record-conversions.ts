import { amountMax } from '../../../base/exchange-rates.ts';
import { addSeconds, formatInstant, instantMs } from '../../../base/instants.ts';
import { uuid } from '../../../base/random.ts';
import type { AccountState, Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { type ErrorDetail, Problem, problem } from '../../../contract/problems/problems.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import type { ClickConversions } from '../../../storage/tables/conversions.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { accounts } from '../../ads/accounts.ts';
import { type LineItem, lineItems } from '../../ads/line-items.ts';
import { type WebEventTag, webEventTags } from '../../ads/web-event-tags.ts';
import { addToLedger, lockLedger } from '../ledger-writer.ts';
import { attribute } from './attribution.ts';
import { type AdClick, CLICK_ID_TTL_S } from './click-id.ts';
import { type AttributedConversion, deliveredBy } from './conversion-numbers.ts';
import { type Match, matchConversions } from './match-conversions.ts';
import { type Conversion, memberOf } from './read-conversions.ts';

/** How conversions were reported. */
interface Report {
  /** UTC text. */
  readonly now: string;
  readonly by: 'account' | 'visitor';
  /** The id of the waiting conversion; undefined for new ones. */
  readonly waited?: string;
}

/** The job that retries waiting conversions, by account. */
const WAITING = 'conversions.waiting';
/** Interval of retries, in seconds. @source decision 1123 */
const RETRY_INTERVAL_S = 2;

/** Schedules the next retry of the waiting conversions of an account. */
async function planRetry(tx: WriteTransaction, account: string, now: string): Promise<void> {
  const run_at = addSeconds(now, RETRY_INTERVAL_S);
  await tx.jobs.planNoLaterThan({ kind: WAITING, key: account, run_at });
}

/** Minimum interval between updates of a tag's tracking time, in seconds, to limit the writes of busy websites. */
const TRACKED_EVERY_S = 60;

/**
 * Records conversions of an account, all or none: marks their tags as tracked and, where ads are served, attributes them and
 * adds each to the ledger once. Conversions whose click may still count are stored for later.
 * @throws CONVERSION_EVENT_UNKNOWN or, for reports of visitors, CONVERSION_BEYOND_CLICK
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
    // Locked, so that concurrent reports of a conversion count once.
    const locked = await tagsOf(tx, account, conversions, true);
    checkEvents(locked, account, conversions);
    const due = notTracked(locked, now);
    if (due.length > 0) await tx.records.updateAll(webEventTags, account.id, due, { last_tracked_at: now });
    await tx.conversions.addWaiting(toAdd);
    if (toAdd.length > 0) await planRetry(tx, account.id, now);
    // Otherwise, another node has retried it in the meantime.
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

/** Rejects events without a tag of the account. */
function checkEvents(tags: Tags, { id }: Reporter, conversions: readonly Conversion[]): void {
  const errors = conversions.flatMap(({ event_id: raw, place }): ErrorDetail[] => {
    if (tags.has(raw)) return [];
    const parameter = memberOf(place, 'event_id');
    return [{ problem: 'CONVERSION_EVENT_UNKNOWN', parameter, words: { raw: raw.slice(0, 64), account: id } }];
  });
  if (errors.length > 0) throw new Problem(errors);
}

/** Returns the tags whose tracking time is due. */
function notTracked(tags: Tags, now: string): string[] {
  const before = addSeconds(now, -TRACKED_EVERY_S);
  return [...tags.values()].filter(({ last_tracked_at: last }) => last === null || last <= before).map(({ id }) => id);
}

/** Returns conversions that have not been counted; the first of each conversion id. */
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

/** An attributed conversion with the currency of the line item. */
type Attributed = AttributedConversion & { readonly currency: string };

/** Attributes conversions; those without a touchpoint are omitted. */
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

/** Whether a tag measures a line item: as its primary tag, or any tag if it has none and its objective is website clicks. */
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

/** The account whose website reports conversions. */
type Reporter = Pick<AccountState, 'id' | 'environment' | 'timezone'>;

/** Finds the live account of a website. */
export async function findReporter(tx: ReadTransaction, id: string): Promise<Reporter | undefined> {
  const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden' });
  const limits = row && (await tx.accountMembers.findLimits(id));
  return limits && { id, environment: limits.environment as Environment, timezone: String(row.timezone) };
}

/** Maximum number of events that visitors can report for one click and web event tag. */
const EVENTS_MAX = 100;
/** Maximum number of items of each. */
const ITEMS_MAX = 1000;
/** Maximum sum of their amounts, in a currency like the US dollar. */
const AMOUNT_MAX = 10_000;

/** A conversion reported by a visitor. */
interface ReportedByVisitor {
  readonly conversion: Conversion;
  readonly click: AdClick;
  /** The currency of the ad. */
  readonly currency: string;
  /** The counted amount. */
  readonly value_micro: number;
}

/**
 * Counts a conversion against the limits of its click, which bound the abuse of click ids by visitors. The tag is locked.
 * @throws CONVERSION_BEYOND_CLICK
 * @source decision 1071
 */
async function countForClick(
  tx: WriteTransaction,
  { conversion, click, currency, value_micro }: ReportedByVisitor,
): Promise<void> {
  const { account_id, click: name, touched_at: clicked_at } = click;
  const key = { account_id, web_event_tag_id: conversion.event_id, click: name };
  const before: Pick<ClickConversions, 'events' | 'value_micro'> = (await tx.conversions.findOfClick(key)) ?? {
    events: 0,
    value_micro: 0,
  };
  const after = { events: before.events + 1, value_micro: before.value_micro + value_micro };
  const amount = amountMax(AMOUNT_MAX, currency);
  const beyond = (parameter: string): Problem => {
    const words = { events: EVENTS_MAX, items: ITEMS_MAX, amount, currency };
    return problem('CONVERSION_BEYOND_CLICK', { parameter, words });
  };
  if (after.events > EVENTS_MAX) throw beyond('click_id');
  if (conversion.number_items > ITEMS_MAX) throw beyond('number_items');
  if (after.value_micro > amount * 1_000_000) throw beyond('value');
  await tx.conversions.saveOfClick({ ...key, ...after, clicked_at });
}

/** Maximum number of conversions retried in one run. */
const RETRIED_AT_ONCE = 500;

/** Retries conversions whose clicks have not been counted yet. @source decision 1123 */
export const waitingConversions: JobKind<void> = {
  name: WAITING,
  async prepare({ key: account }, services) {
    const { store, clock } = services;
    const reporter = await store.read((tx) => findReporter(tx, account));
    for (const { id, conversion, reported_by: by } of await store.read((tx) =>
      tx.conversions.listWaiting(account, RETRIED_AT_ONCE),
    )) {
      const report = { now: formatInstant(clock.now()), by, waited: id };
      try {
        if (reporter) await recordConversions(services, reporter, [JSON.parse(conversion) as Conversion], report);
        else await store.write((tx) => tx.conversions.removeWaiting(account, id));
      } catch (error) {
        // It is too late to report that it exceeds the limits of its click, or that its tag is gone.
        if (!(error instanceof Problem && error.errors.every(({ problem }) => problem.startsWith('CONVERSION_'))))
          throw error;
        await store.write((tx) => tx.conversions.removeWaiting(account, id));
      }
    }
  },
  async store(tx, { key }, _, now) {
    if ((await tx.conversions.listWaiting(key, 1)).length > 0) await planRetry(tx, key, now);
  },
};
