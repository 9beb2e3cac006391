import { type Field, field, itemsOf, listOf, oneOf } from '../../../contract/declare/fields.ts';
import type { Change } from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { LineItem } from '../line-items.ts';

/** Where a line item can be shown. */
const PLACEMENTS = [
  'ALL_ON_SERVICE',
  'PUBLISHER_NETWORK',
  'SERVICE_PROFILE',
  'SERVICE_REPLIES',
  'SERVICE_SEARCH',
  'SERVICE_TIMELINE',
  'TAP_BANNER',
  'TAP_FULL',
  'TAP_FULL_LANDSCAPE',
  'TAP_MRECT',
  'TAP_NATIVE',
] as const;
type Placement = (typeof PLACEMENTS)[number];

/** Those that exist and that no line item can have: they belong to takeovers. */
const TAKEOVER_PLACEMENTS: readonly unknown[] = ['SPOTLIGHT', 'TREND'];

/** The sets of placements that a line item of a product type may have, each in the order in which it is shown. @source campaigns 9.4 */
export const PLACEMENT_SETS = {
  PROMOTED_ACCOUNT: [['ALL_ON_SERVICE'], ['SERVICE_TIMELINE']],
  PROMOTED_POSTS: [
    ['ALL_ON_SERVICE'],
    ['ALL_ON_SERVICE', 'PUBLISHER_NETWORK'],
    ['PUBLISHER_NETWORK'],
    ['PUBLISHER_NETWORK', 'SERVICE_TIMELINE'],
    ['SERVICE_SEARCH'],
    ['SERVICE_TIMELINE'],
    ['SERVICE_PROFILE', 'SERVICE_TIMELINE'],
    ['SERVICE_SEARCH', 'SERVICE_TIMELINE'],
    ['SERVICE_PROFILE', 'SERVICE_SEARCH'],
    ['SERVICE_PROFILE', 'SERVICE_SEARCH', 'SERVICE_TIMELINE'],
    ['SERVICE_REPLIES', 'SERVICE_TIMELINE'],
    ['SERVICE_REPLIES', 'SERVICE_PROFILE', 'SERVICE_SEARCH', 'SERVICE_TIMELINE'],
  ],
  MEDIA: [
    ['ALL_ON_SERVICE'],
    ['PUBLISHER_NETWORK'],
    ['TAP_BANNER'],
    ['TAP_FULL'],
    ['TAP_FULL_LANDSCAPE'],
    ['TAP_NATIVE'],
    ['TAP_MRECT'],
  ],
} as const satisfies Record<string, readonly (readonly Placement[])[]>;

/** What is promoted, by its name on the wire. */
export type ProductType = keyof typeof PLACEMENT_SETS;
/** Every product type, in the order of the reference. */
export const PRODUCT_TYPES = Object.keys(PLACEMENT_SETS) as ProductType[];

/** A list of placements. One that exists and cannot be set is told apart from one that there is not. */
export function placementList(): Field<string> {
  const { kind } = oneOf(...PLACEMENTS);
  const settable = field<string>({
    ...kind,
    problems: [...kind.problems, 'INVALID_PLACEMENT_TYPE'],
    read(raw, parameter) {
      if (TAKEOVER_PLACEMENTS.includes(raw))
        return { problem: 'INVALID_PLACEMENT_TYPE', parameter, words: { raw: String(raw) } };
      return kind.read(raw, parameter);
    },
  });
  return listOf(settable, { max: PLACEMENTS.length });
}

/** Placements in the order of the table; as given when they are no set of the product type. */
export function orderPlacements(productType: string | null, placements: string | null): string | null {
  const wanted = itemsOf(placements!);
  const set = setsOf(productType).find((each) => sameItems(each, wanted));
  return set ? JSON.stringify(set) : placements;
}

/** The placements must be one of the sets of the product type; only some of them reach people widely. */
export function placementsAreAllowed({ verb, after }: Change<LineItem>): readonly ErrorDetail[] {
  if (verb !== 'create') return [];
  const { product_type: type, objective } = after;
  const wanted = itemsOf(after.placements!);
  const errors: ErrorDetail[] = [];
  if (!setsOf(type).some((each) => sameItems(each, wanted))) {
    const message = `Product type ${type} is not compatible with placements ${wanted.join(',')}`;
    errors.push({ problem: 'INVALID', attribute: 'placements', words: { message } });
  }
  if (objective === 'REACH' && !wanted.some((each) => each === 'ALL_ON_SERVICE' || each === 'SERVICE_TIMELINE')) {
    const message =
      'Objective REACH is only compatible with placements that contain ALL_ON_SERVICE or SERVICE_TIMELINE';
    errors.push({ problem: 'INVALID', attribute: 'placements', words: { message } });
  }
  return errors;
}

/** Whether placements reach beyond the service. */
export function reachesPublisherNetwork(placements: string | null): boolean {
  return itemsOf(placements ?? '[]').includes('PUBLISHER_NETWORK');
}

function setsOf(productType: string | null): readonly (readonly string[])[] {
  return PLACEMENT_SETS[productType as ProductType];
}

function sameItems(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each));
}
