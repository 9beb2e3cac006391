import { type Change, invalid } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { checkFeature } from '../account-features.ts';
import type { LineItem } from '../line-items.ts';
import { findObjective } from './objectives.ts';
import { reachesPublisherNetwork } from './placements.ts';

const CAP_FIELDS = ['frequency_cap', 'duration_in_days'] as const;

/** A domain name of at least two labels, without a scheme or path. */
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u;

/** Rule: fields that other fields require are set. @source campaigns 9.1 */
export function hasDependentFields({ after }: Change<LineItem>): readonly ErrorDetail[] {
  const missing: string[] = [];
  const lacksStore = after.android_store_identifier === null && after.ios_store_identifier === null;
  if (findObjective(after.objective).requiresApp && lacksStore) missing.push('android_store_identifier');
  if (reachesPublisherNetwork(after.placements) && after.advertiser_domain === null) missing.push('advertiser_domain');
  if (after.goal === 'WEBSITE_CONVERSIONS' && after.primary_web_event_tag === null) {
    missing.push('primary_web_event_tag');
  }
  return missing.map((parameter) => ({ problem: 'MISSING_PARAMETER', parameter }));
}

/** Rule: the advertiser domain is a domain name without scheme or path. */
export function domainIsValid({ after }: Change<LineItem>): ErrorDetail | undefined {
  if (after.advertiser_domain === null || DOMAIN.test(after.advertiser_domain)) return undefined;
  return invalid('advertiser_domain', 'Invalid advertiser domain format');
}

/** Rule: product type MEDIA and objective PREROLL_VIEWS require each other. @source campaigns 9.2 */
export function productTypeFitsObjective({ after }: Change<LineItem>): ErrorDetail | undefined {
  if ((after.product_type === 'MEDIA') === (after.objective === 'PREROLL_VIEWS')) return undefined;
  return invalid(
    'product_type',
    `Product type ${after.product_type} is not compatible with objective ${after.objective}`,
  );
}

/**
 * Rule: a frequency cap needs a period, an objective that supports it and the account feature. Only changes are
 * checked: an account that loses the feature keeps its caps.
 * @source campaigns 5.6 and 9.1; decision 126
 */
export async function frequencyCapIsAllowed(change: Change<LineItem>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  const set = CAP_FIELDS.filter((name) => after[name] !== null);
  if (set.length === 0 || CAP_FIELDS.every((name) => after[name] === before?.[name])) return [];
  const unavailable = await checkFeature(change, 'REACH_FREQUENCY_CAP', set[0]!);
  const errors: ErrorDetail[] = unavailable ? [unavailable] : [];
  if (set.length === 1) {
    const [a, b] = [...set, ...CAP_FIELDS.filter((name) => name !== set[0])] as [string, string];
    errors.push({ problem: 'INCLUSIVE_PARAMETERS', parameter: b, words: { a, b } });
  }
  if (!findObjective(after.objective).allowsFrequencyCap) {
    errors.push(invalid('frequency_cap', `Objective ${after.objective} is not compatible with a frequency cap`));
  }
  return errors;
}

/** Rule: the flight ends after it starts, and that of a new line item in the future. @source campaigns 9.1; decision 127 */
export function flightDatesAreValid({ verb, after, now }: Change<LineItem>): ErrorDetail | undefined {
  const { start_time: start, end_time: end } = after;
  if (end === null) return undefined;
  if (start !== null && end <= start)
    return invalid('end_time', 'Expected end_time to be after start_time', 'ENDS_BEFORE_START');
  return verb === 'create' && end <= now
    ? invalid('end_time', 'Expected end_time to be in the future', 'ENDED')
    : undefined;
}
