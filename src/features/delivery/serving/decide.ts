import { formatInstant } from '../../../base/instants.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type {
  Decision,
  DecisionRequest,
  OutageTolerance,
  PlacementDecisions,
  RequestedPlacement,
} from '../../../contract/services/serving.ts';
import type { Publisher } from '../../../contract/store/publishers.ts';
import { SEGMENTATIONS, segmentsOfPerson } from '../audiences/shares.ts';
import type { Ad } from './ads.ts';
import { decideRound, type Obstacle, type Winner } from './auction-round.ts';
import type { ServedAd } from './beacon.ts';
import type { RenderedCreative } from './creative-json.ts';
import type { EnvironmentServing } from './environment-serving.ts';
import { shuffleByOutcome } from './quality.ts';
import type { Ranked } from './ranking.ts';
import type { Viewer } from './viewer.ts';

/** How long tokens are valid. @source decision 980 */
const TOKEN_MS = 2 * 3_600_000;
/** Each round reads the data that the previous one lacked. */
const ROUNDS_MAX = 12;
/** Exhausted budgets and pacing are not checked again for this long, unless beacons were stored. */
const OBSTACLE_MS = 500;
const NONCE_BYTES = 12;
const EXPLAINED_MAX = 500;

/** Waits for the database until it fails to respond in time. */
class Reading {
  /** Whether the decision continues with data in memory. */
  isAway = false;
  readonly #outages: OutageTolerance;

  constructor(outages: OutageTolerance) {
    this.#outages = outages;
  }

  /** Resolves with whether the work finished in time. */
  async wait(work: Promise<unknown>): Promise<boolean> {
    const isDone = await this.#outages.wait(work);
    this.isAway ||= !isDone;
    return isDone;
  }
}

/** The state of one request. */
interface DecisionContext {
  readonly serving: EnvironmentServing;
  readonly publisher: Publisher;
  readonly request: DecisionRequest;
  readonly reading: Reading;
  readonly viewer: Viewer;
  /** The pseudonym of the viewer; empty if the request names none. */
  readonly person: string;
  /** Line items in earlier placements, with the reason not to show them again. */
  readonly excluded: Map<string, string>;
  /** The accounts of the ads in earlier placements. */
  readonly accounts: Set<string>;
  /** The posts, users and media in earlier placements. */
  readonly contents: Set<string>;
}

/**
 * Chooses the ads for a request. While the database is unreachable, it uses the ads, budgets and creatives in memory.
 * @source decision 976, 979, 1226
 * @throws StoreUnavailable if memory has nothing to show, or the database has been unreachable for too long
 */
export async function decide(
  serving: EnvironmentServing,
  publisher: Publisher,
  request: DecisionRequest,
): Promise<PlacementDecisions[]> {
  const reading = new Reading(serving.outages);
  const firstRead = serving.index.firstRead();
  if (firstRead && !(await reading.wait(firstRead))) throw new StoreUnavailable(new Error('no ads have been read yet'));
  const changes = serving.index.current();
  if (changes) await reading.wait(changes);
  const context: DecisionContext = {
    serving,
    publisher,
    request,
    reading,
    viewer: await findViewer(serving, request, reading),
    person: personOf(serving, publisher, request),
    excluded: new Map(),
    accounts: new Set(),
    contents: new Set(),
  };
  const found: PlacementDecisions[] = [];
  for (const placement of request.placements) {
    const { winners, explanation } = await choose(context, placement);
    const decisions = winners.map((winner) => decisionOf(context, placement, winner));
    for (const { ad, rendered } of winners) {
      context.excluded.set(ad.booking.id, 'IN_ANOTHER_PLACEMENT');
      context.accounts.add(ad.account.id);
      for (const each of rendered.contents) context.contents.add(each);
    }
    const explained = request.explain && { explanation: explanation.slice(0, EXPLAINED_MAX) };
    found.push({ id: placement.id, decisions, ...explained });
  }
  if (reading.isAway && found.every(({ decisions }) => decisions.length === 0)) {
    throw new StoreUnavailable(new Error('no ad in memory can be shown'));
  }
  return found;
}

async function findViewer(serving: EnvironmentServing, request: DecisionRequest, reading: Reading): Promise<Viewer> {
  const viewer = serving.viewerOf(request);
  if (!(viewer instanceof Promise)) return viewer;
  return (await reading.wait(viewer)) ? viewer : serving.cachedViewer(request);
}

type Chosen = Winner & { readonly creative: string; readonly rendered: RenderedCreative };

async function choose(context: DecisionContext, placement: RequestedPlacement) {
  const { serving, viewer, accounts, request, reading } = context;
  const { loaded } = serving.index;
  const excluded = new Map(context.excluded);
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
      accounts,
      explain: request.explain,
      ranking: serving.ranking,
      now_ms: serving.now(),
      candidates: request.explain ? [{ ads: loaded.all(), changes: 0 }] : loaded.lists.for(viewer),
      obstacleTo: (ranked) => obstacleTo(context, ranked, reading.isAway ? undefined : reads),
      chance: () => serving.chance(),
      versionOf: ({ account }) => serving.countersOf(account).version,
    });
    if (reads.size > 0 && round < ROUNDS_MAX) {
      await reading.wait(Promise.all([...reads.values()].map((read) => read())));
      continue;
    }
    const winners: Chosen[] = [];
    const contents = new Set(context.contents);
    let isComplete = true;
    for (const winner of result.winners) {
      const shown = await chooseCreative(context, winner.ad, contents);
      if (typeof shown === 'object') {
        winners.push({ ...winner, ...shown });
        for (const each of shown.rendered.contents) contents.add(each);
        continue;
      }
      excluded.set(winner.ad.booking.id, shown);
      isComplete = false;
    }
    // Without the ads whose creatives cannot be shown, the others get better positions in another round.
    if (isComplete || round >= ROUNDS_MAX) return { winners, explanation: [...result.explanation, ...explained] };
  }
}

/** Reads that a decision lacks, by name. */
type Reads = Map<string, () => Promise<void>>;

/** Checks budgets, pacing and frequency caps; adds missing reads. Undefined reads: the database is unreachable. */
function obstacleTo({ serving, person }: DecisionContext, { ad, factors }: Ranked, reads: Reads | undefined): Obstacle {
  const { ranking, frequencies } = serving;
  const { account, booking, bid } = ad;
  const { frequency_cap, duration_in_days } = booking;
  if (frequency_cap !== null && person === '') return 'FREQUENCY_UNKNOWN';
  const counters = serving.countersOf(account);
  const amounts = { least: bid.least / bid.actions, bid: factors.bid / bid.actions, isAway: reads === undefined };
  const funds = counters.funds(booking, amounts);
  const remember = (reason: string): string => {
    ad.obstacle = { reason, version: counters.version, until_ms: serving.now() + OBSTACLE_MS };
    return reason;
  };
  if (funds === 'exhausted') return remember('BUDGET');
  if (funds !== 'enough') {
    if (!reads) return 'BUDGET';
    const name = `budgets ${account.id}`;
    if (funds === 'unknown') reads.set(name, () => counters.flush());
    // Other ads are shown while leases cannot be renewed; the next flush reports the error.
    else if (!reads.has(name)) reads.set(name, () => counters.flush().catch(() => {}));
    return { wait: true };
  }
  if (ranking.waits(ad)) return remember('PACING');
  if (frequency_cap === null) return undefined;
  const stored = frequencies.impressions(account, person, booking.id, duration_in_days ?? 1);
  if (stored === undefined) {
    if (!reads) return 'FREQUENCY_UNKNOWN';
    reads.set(`impressions ${account.id}`, () => frequencies.load(account, person));
    return { wait: true };
  }
  return stored + counters.unstoredImpressions(person, booking.id) >= frequency_cap ? 'FREQUENCY_CAP' : undefined;
}

/** Returns a creative of an ad, or the reason why none can be shown. @source decision 1121 */
async function chooseCreative(
  { serving, reading }: DecisionContext,
  ad: Ad,
  contents: ReadonlySet<string>,
): Promise<Pick<Chosen, 'creative' | 'rendered'> | string> {
  let reason = 'CREATIVE_GONE';
  for (const { id: creative } of shuffleByOutcome(ad.creatives, () => serving.chance())) {
    const rendering = serving.render(ad, creative);
    const isKnown = !(rendering instanceof Promise) || (await reading.wait(rendering));
    const rendered = isKnown ? await rendering : serving.cachedCreative(creative);
    if (!rendered) continue;
    if (lacksTarget(ad, rendered)) reason = 'NO_CLICK_TARGET';
    else if (rendered.contents.some((each) => contents.has(each))) reason = 'SAME_CONTENT';
    else return { creative, rendered };
  }
  return reason;
}

/** Whether an ad paid by clicks has no target; for engagements, the preview of the post is one. */
function lacksTarget({ billed, booking }: Ad, { target, isPreview }: RenderedCreative): boolean {
  return billed === 'click' && (target === '' || (isPreview === true && booking.pay_by !== 'ENGAGEMENT'));
}

function decisionOf(
  { serving, publisher, viewer, person }: DecisionContext,
  placement: RequestedPlacement,
  { ad, price, creative, rendered }: Chosen,
): Decision {
  const { tokens } = serving;
  const now_ms = serving.now();
  const { booking, account } = ad;
  const segments = segmentsOfPerson(viewer);
  const expires_ms = now_ms + TOKEN_MS;
  const beacon: ServedAd = {
    nonce: serving.random.bytes(NONCE_BYTES).toString('base64url'),
    account: account.id,
    timezone: account.timezone,
    line: booking.id,
    campaign: booking.campaign.id,
    instrument: booking.instrument.id,
    creative,
    publisher: publisher.id,
    person,
    price,
    expires_ms,
    placement: placement.type.startsWith('SERVICE_') ? 'ALL_ON_SERVICE' : 'PUBLISHER_NETWORK',
    billed: ad.billed,
    click: rendered.click,
    isMeasured: ad.isMeasured,
    segments: SEGMENTATIONS.map((type) => segments[type] ?? 'UNKNOWN'),
  };
  serving.countersOf(account).reserve(beacon, ad.billed === 'impression' ? price : Math.ceil(price * ad.probability));
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

function personOf({ names }: EnvironmentServing, { id }: Publisher, { user }: DecisionRequest): string {
  if (!user) return '';
  return 'id' in user ? names.ofUser(user.id) : names.ofKey(id, user.key);
}
