import { instantMs } from '../../base/instants.ts';
import { localDateAt } from '../../base/zones.ts';
import {
  type AccountDeliveryStatus,
  type DeliveryStatus,
  NO_ACTIVE_LINE_ITEM,
} from '../../contract/delivery/delivery-status.ts';
import type { SettledAccount } from '../../contract/services/delivery.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { isPrimary } from '../ads/audience-estimate/parse-criteria.ts';
import { effectiveStatus, type ReasonNotServable } from '../ads/servability.ts';
import { targetingType } from '../ads/targeting-criteria/targeting-types.ts';
import { type AudienceQuestion, readQuestions } from './audiences/questions.ts';
import { type BookedCreative, type Booking, readBookings } from './bookings.ts';
import { budgetKeys, payersOf } from './serving/budget-keys.ts';
import { readBudgets } from './serving/read-budgets.ts';
import { type ReasonNotServing, reasonsNotServing, shownCreatives } from './serving-times.ts';

/** A reason why a line item shows no ads. */
type Reason = ReasonNotServing | 'NO_PEOPLE';

/** The corresponding reasons of campaigns; undefined if there is none. */
const OF_CAMPAIGNS: Readonly<Record<Reason, ReasonNotServable | undefined>> = {
  ACCOUNT_NOT_ACCEPTED: 'ACCOUNT_REJECTED',
  DELETED: 'DELETED',
  CAMPAIGN_NOT_ACTIVE: 'PAUSED_BY_ADVERTISER',
  LINE_ITEM_NOT_ACTIVE: 'PAUSED_BY_ADVERTISER',
  FUNDING_PROBLEM: 'FUNDING_PROBLEM',
  NO_BUDGET: 'INCOMPLETE',
  NO_CREATIVE: 'INCOMPLETE',
  BUDGET_USED_UP: 'BUDGET_EXHAUSTED',
  STARTS_IN_FUTURE: 'STARTS_IN_FUTURE',
  EXPIRED: 'EXPIRED',
  NO_PEOPLE: undefined,
};

/**
 * Reads the delivery status of line items and their ads at a time (UTC text) up to which the ledger is settled: of the
 * active ones of an account, or those with given ids.
 * @source decision 1140
 */
export async function readDeliveryStatus(
  tx: ReadTransaction,
  account: SettledAccount,
  {
    now,
    ids,
    isSimulated,
  }: { readonly now: string; readonly ids?: readonly string[] | undefined; readonly isSimulated: boolean },
): Promise<AccountDeliveryStatus> {
  const bookings = await readBookings(tx, account, ids && { ids });
  const { lines } = bookings;
  const lineIds = lines.map(({ id }) => id);
  const today = localDateAt(instantMs(now), account.timezone);
  const { left } = await readBudgets(tx, account.id, lineIds, [today]);
  const questions = await readQuestions(tx, account, lineIds);
  // In chronological order, so that the last count of each wins.
  const counted = isSimulated ? await tx.deliveryLedger.listAudiences(account.id, ids) : [];
  const people = new Map(counted.map((audience) => [audience.subject, audience.people]));
  const leftOf = (booking: Booking): number =>
    Math.min(...budgetKeys(payersOf(booking), today).map((key) => left.get(key) ?? Number.POSITIVE_INFINITY));
  const reasoned = lines.map((booking) => {
    const reasons: Reason[] = reasonsNotServing(bookings, booking, now, leftOf(booking));
    const question = questions.get(booking.id);
    // Only line items that serve have a current count.
    const isCountedOut = reasons.length === 0 && people.get(booking.id) === 0;
    if (isCountedOut || (question && targetsNobody(question))) reasons.push('NO_PEOPLE');
    return { booking, reasons };
  });
  const line_items = reasoned.map(({ booking, reasons }) => {
    const own = standingOfLine(booking, reasons);
    const ads = booking.creatives.map((creative) => [creative.id, standingOfAd(creative, own)] as const);
    return [booking.id, { ...own, ads: Object.fromEntries(ads) }] as const;
  });
  const campaigns = [...Map.groupBy(reasoned, ({ booking }) => booking.campaign.id)].map(([id, own]) => {
    const active = own.filter(({ booking }) => booking.entity_status === 'ACTIVE');
    const isShown = active.some(({ reasons }) => reasons.length === 0);
    const reasons = active.length === 0 ? [NO_ACTIVE_LINE_ITEM] : active.flatMap((each) => each.reasons);
    return [id, { reasons_not_servable: isShown ? [] : [...new Set<string>(reasons)] }] as const;
  });
  return { line_items: Object.fromEntries(line_items), campaigns: Object.fromEntries(campaigns) };
}

function standingOfLine({ entity_status, campaign }: Booking, reasons: readonly Reason[]): DeliveryStatus {
  const isDraft = entity_status === 'DRAFT' || campaign.entity_status === 'DRAFT';
  const named = reasons.flatMap((reason) => OF_CAMPAIGNS[reason] ?? []);
  const effective_status = isDraft
    ? 'DRAFT'
    : reasons.length > 0 && named.length === 0
      ? 'UNKNOWN'
      : effectiveStatus(named);
  return { effective_status, reasons_not_servable: reasons };
}

/** Returns the status of an ad: that of its line item if it can be shown. */
function standingOfAd(creative: BookedCreative, line: DeliveryStatus): DeliveryStatus {
  if (shownCreatives({ creatives: [creative] }).length > 0) return line;
  const { entity_status, approval_status } = creative;
  const reason =
    approval_status === 'UNDER_REVIEW'
      ? 'AD_UNDER_REVIEW'
      : approval_status === 'REJECTED'
        ? 'AD_REJECTED'
        : entity_status === 'ACTIVE'
          ? 'AUTHOR_SUSPENDED'
          : 'AD_PAUSED';
  return {
    effective_status: reason === 'AD_PAUSED' ? 'PAUSED' : 'UNKNOWN',
    reasons_not_servable: [reason],
  };
}

/** Whether a line item only targets audiences that no longer count. */
function targetsNobody({ criteria, audiences }: AudienceQuestion): boolean {
  const included = criteria.filter(isPrimary);
  return (
    included.length > 0 &&
    included.every(({ type, value }) => targetingType(type).value.is === 'audience' && !audiences.has(value))
  );
}
