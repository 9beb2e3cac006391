import { formatInstant } from '../../../base/instants.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type { BorneOutages } from '../../../contract/services/serving.ts';
import type { Publisher } from '../../../contract/store/publishers.ts';
import { SEGMENTATIONS, segmentsOfPerson } from '../audiences/shares.ts';
import type { Ad } from './ads.ts';
import { decideRound, type Obstacle, type Winner } from './auction-round.ts';
import type { Beacon } from './beacon.ts';
import type { RenderedCreative } from './creative-json.ts';
import type { Decision, DecisionRequest, PlacementDecisions } from './decision-request.ts';
import type { EnvironmentServing } from './environment-serving.ts';
import { inOrder } from './quality.ts';
import type { Ranked } from './ranking.ts';
import type { Viewer } from './viewer.ts';

/** Tokens count this long. @source decision 980 */
const TOKEN_MS = 2 * 3_600_000;
/** Each round reads what the one before lacked. */
const ROUNDS_MAX = 12;
/** Used-up budgets and pacing are not looked at again for this long, unless something was stored. */
const OBSTACLE_MS = 500;
const NONCE_BYTES = 12;
const EXPLAINED_MAX = 500;

/** Waits for the database, as long as it answers one decision in time. */
class Reading {
  /** Whether the rest has to come from memory. */
  isAway = false;
  readonly #outages: BorneOutages;

  constructor(outages: BorneOutages) {
    this.#outages = outages;
  }

  /** Resolves with whether the work was done in time. */
  async wait(work: Promise<unknown>): Promise<boolean> {
    const isDone = await this.#outages.wait(work);
    this.isAway ||= !isDone;
    return isDone;
  }
}

/**
 * Decides on the ads for a request. While the database is away, it decides by the ads, budgets and creatives in memory.
 * @source decision 976, 979, 1226
 * @throws StoreUnavailable when memory has nothing to show, or the database has been away for too long
 */
export async function decide(
  serving: EnvironmentServing,
  publisher: Publisher,
  request: DecisionRequest,
): Promise<PlacementDecisions[]> {
  const reading = new Reading(serving.outages);
  const beginning = serving.index.begun();
  if (beginning && !(await reading.wait(beginning))) throw new StoreUnavailable(new Error('no ads have been read yet'));
  const changing = serving.index.current();
  if (changing) await reading.wait(changing);
  const viewer = await viewerIn(serving, request, reading);
  const person = personOf(serving, publisher, request);
  const excluded = new Map<string, string>();
  const accounts = new Set<string>();
  const contents = new Set<string>();
  const found: PlacementDecisions[] = [];
  for (const placement of request.placements) {
    const context = { placement, viewer, person, excluded, accounts, contents, request, reading };
    const { winners, explanation } = await choose(serving, context);
    const decisions = winners.map((winner) => decisionOf(serving, winner, { publisher, viewer, person, placement }));
    for (const { ad, rendered } of winners) {
      excluded.set(ad.booking.id, 'IN_ANOTHER_PLACEMENT');
      accounts.add(ad.account.id);
      for (const each of rendered.contents) contents.add(each);
    }
    const explained = request.explain && { explanation: explanation.slice(0, EXPLAINED_MAX) };
    found.push({ id: placement.id, decisions, ...explained });
  }
  if (reading.isAway && found.every(({ decisions }) => decisions.length === 0)) {
    throw new StoreUnavailable(new Error('memory knows of no ad that can be shown'));
  }
  return found;
}

async function viewerIn(serving: EnvironmentServing, request: DecisionRequest, reading: Reading): Promise<Viewer> {
  const viewer = serving.viewerOf(request);
  if (!(viewer instanceof Promise)) return viewer;
  return (await reading.wait(viewer)) ? viewer : serving.knownViewer(request);
}

type Chosen = Winner & { readonly creative: string; readonly rendered: RenderedCreative };

async function choose(
  serving: EnvironmentServing,
  of: {
    readonly placement: DecisionRequest['placements'][number];
    readonly viewer: Viewer;
    readonly person: string;
    readonly excluded: ReadonlyMap<string, string>;
    /** The accounts of ads in other placements, and what these show. */
    readonly accounts: ReadonlySet<string>;
    readonly contents: ReadonlySet<string>;
    readonly request: DecisionRequest;
    readonly reading: Reading;
  },
) {
  const { placement, viewer, person, request, reading } = of;
  const { loaded } = serving.index;
  const excluded = new Map(of.excluded);
  const explained = (request.explain ? loaded.leftOut() : []).map(({ line, reason }) => ({
    line_item_id: line,
    outcome: reason,
    rank: null,
  }));
  for (let round = 0; ; round++) {
    const reads: Reads = new Map();
    const result = decideRound({
      viewer,
      placement,
      excluded,
      accounts: of.accounts,
      explain: request.explain,
      ranking: serving.ranking,
      now_ms: serving.now(),
      candidates: request.explain ? [{ ads: loaded.all(), changes: 0 }] : loaded.lists.for(viewer),
      obstacleTo: (ranked) => obstacleTo(serving, ranked, person, reading.isAway ? undefined : reads),
      chance: () => serving.chance(),
      versionOf: ({ account }) => serving.countersOf(account).version,
    });
    if (reads.size > 0 && round < ROUNDS_MAX) {
      await reading.wait(Promise.all([...reads.values()].map((read) => read())));
      continue;
    }
    const winners: Chosen[] = [];
    const contents = new Set(of.contents);
    let isWhole = true;
    for (const winner of result.winners) {
      const shown = await creativeOf(serving, winner.ad, { contents, reading });
      if (typeof shown === 'object') {
        winners.push({ ...winner, ...shown });
        for (const each of shown.rendered.contents) contents.add(each);
        continue;
      }
      excluded.set(winner.ad.booking.id, shown);
      isWhole = false;
    }
    // Once more without the ads whose creative cannot be shown: the others get better places.
    if (isWhole || round >= ROUNDS_MAX) return { winners, explanation: [...result.explanation, ...explained] };
  }
}

/** Reads that a decision lacks, by name. */
type Reads = Map<string, () => Promise<void>>;

/** Budgets, pacing and frequency caps; adds the reads without which they are not known. Undefined reads: the database is away. */
function obstacleTo(
  serving: EnvironmentServing,
  { ad, factors }: Ranked,
  person: string,
  reads: Reads | undefined,
): Obstacle {
  const { ranking, frequencies } = serving;
  const { account, booking, bid } = ad;
  const { frequency_cap, duration_in_days } = booking;
  if (frequency_cap !== null && person === '') return 'FREQUENCY_UNKNOWN';
  const counters = serving.countersOf(account);
  const amounts = { least: bid.least / bid.actions, bid: factors.bid / bid.actions };
  const funds = counters.funds(booking, { ...amounts, isAway: reads === undefined });
  const lasting = (reason: string): string => {
    ad.obstacle = { reason, version: counters.version, until_ms: serving.now() + OBSTACLE_MS };
    return reason;
  };
  if (funds === 'exhausted') return lasting('BUDGET');
  if (funds !== 'enough') {
    if (!reads) return 'BUDGET';
    const name = `budgets ${account.id}`;
    if (funds === 'unknown') reads.set(name, () => counters.flush());
    // Other ads are shown while leases cannot be renewed; the next flush reports the error.
    else if (!reads.has(name)) reads.set(name, () => counters.flush().catch(() => {}));
    return { wait: true };
  }
  if (ranking.waits(ad)) return lasting('PACING');
  if (frequency_cap === null) return undefined;
  const seen = frequencies.seen(account, person, booking.id, duration_in_days ?? 1);
  if (seen === undefined) {
    if (!reads) return 'FREQUENCY_UNKNOWN';
    reads.set(`views ${account.id}`, () => frequencies.load(account, person));
    return { wait: true };
  }
  return seen + counters.unstoredImpressions(person, booking.id) >= frequency_cap ? 'FREQUENCY_CAP' : undefined;
}

/** The creative to show of an ad, or the reason against all. @source decision 1121 */
async function creativeOf(
  serving: EnvironmentServing,
  ad: Ad,
  { contents, reading }: { readonly contents: ReadonlySet<string>; readonly reading: Reading },
): Promise<Pick<Chosen, 'creative' | 'rendered'> | string> {
  let reason = 'CREATIVE_GONE';
  for (const { id: creative } of inOrder(ad.creatives, () => serving.chance())) {
    const rendering = serving.render(ad, creative);
    const isKnown = !(rendering instanceof Promise) || (await reading.wait(rendering));
    const rendered = isKnown ? await rendering : serving.knownRender(creative);
    if (!rendered) continue;
    if (lacksTarget(ad, rendered)) reason = 'NO_CLICK_TARGET';
    else if (rendered.contents.some((each) => contents.has(each))) reason = 'SAME_CONTENT';
    else return { creative, rendered };
  }
  return reason;
}

/** Whether a click on an ad that is paid by clicks would lead nowhere; for engagements, the preview of the post is a target. */
function lacksTarget({ billed, booking }: Ad, { target, isPreview }: RenderedCreative): boolean {
  return billed === 'click' && (target === '' || (isPreview === true && booking.pay_by !== 'ENGAGEMENT'));
}

function decisionOf(
  serving: EnvironmentServing,
  { ad, price, creative, rendered }: Chosen,
  of: {
    readonly publisher: Publisher;
    readonly viewer: Viewer;
    readonly person: string;
    readonly placement: DecisionRequest['placements'][number];
  },
): Decision {
  const { tokens } = serving;
  const now_ms = serving.now();
  const { booking, account } = ad;
  const segments = segmentsOfPerson(of.viewer);
  const expires_ms = now_ms + TOKEN_MS;
  const beacon: Beacon = {
    nonce: serving.random.bytes(NONCE_BYTES).toString('base64url'),
    account: account.id,
    timezone: account.timezone,
    line: booking.id,
    campaign: booking.campaign.id,
    instrument: booking.instrument.id,
    creative,
    publisher: of.publisher.id,
    person: of.person,
    price,
    expires_ms,
    placement: of.placement.type.startsWith('SERVICE_') ? 'ALL_ON_SERVICE' : 'PUBLISHER_NETWORK',
    billed: ad.billed,
    click: rendered.click,
    isMeasured: ad.isMeasured,
    segments: SEGMENTATIONS.map((type) => segments[type] ?? 'UNKNOWN'),
  };
  serving.countersOf(account).promise(beacon, ad.billed === 'impression' ? price : Math.ceil(price * ad.probability));
  const { target } = rendered;
  return {
    line_item_id: booking.id,
    creative_id: creative,
    creative: rendered.json,
    impression_url: serving.url(`/e/i/${tokens.seal('i', { beacon, target: '' }, now_ms)}`),
    click_url: target === '' ? null : serving.url(`/e/c/${tokens.seal('c', { beacon, target }, now_ms)}`),
    expires_at: formatInstant(expires_ms),
  };
}

/** The pseudonym of the viewer; empty if the request names none. */
function personOf({ names }: EnvironmentServing, { id }: Publisher, { user }: DecisionRequest): string {
  if (!user) return '';
  return 'id' in user ? names.ofUser(user.id) : names.ofKey(id, user.key);
}
