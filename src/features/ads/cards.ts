import { boolean, text } from '../../contract/declare/fields.ts';
import { type Fields, LONG_IDS_FROM, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CREATIVE_ROLES } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { hasValue, type RequestInput } from './cards/card-formats.ts';
import { mediaReferences, parseStructure } from './cards/card-structure.ts';
import { cardType, deriveCardType } from './cards/card-types.ts';
import { cardUri, cardUriOf } from './cards/card-uri.ts';
import { components, slides } from './cards/components.ts';
import { checkMediaRequirements, MEDIA_REQUIREMENT_PROBLEMS, RATIOS } from './cards/media-requirements.ts';

const fields = {
  name: text({ max: 80 }).required().sortable().describe('Display name.'),
  card_uri: cardUri().readOnly().required().filteredBy('card_uris').describe('URI that posts refer to.'),
  card_type: cardType()
    .readOnly()
    .required()
    .filteredBy('card_types')
    .describe('Derived from the media and destination of the card.'),
  components: components({ swipeableMin: 2 })
    .onUpdate(components({ swipeableMin: 1 }))
    .omittedWhenNull()
    .describe('One media component and one DETAILS or BUTTON component, in display order. Exclusive with `slides`.'),
  slides: slides()
    .omittedWhenNull()
    .describe('2 to 6 slides of one MEDIA and one DETAILS component each. Exclusive with `components`.'),
} satisfies Fields;

/** A stored component-based card. */
export type Card = RowOf<typeof fields>;

/**
 * Component-based cards: media, text and destinations that a post shows below its text.
 * @source advertising 10; creatives 5
 */
export const cards = resource({
  name: 'card',
  plural: 'cards',
  label: 'Card',
  description: 'A component-based card: media, text and destinations shown below the text of a post.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: CREATIVE_ROLES,
  notFound: 'CARD_NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: LONG_IDS_FROM, isLong: true },
  // Parameters in the query are not read. @source decision 214
  settlesDelivery: 'before-changes',
  requests: {
    body: 'object',
    ignoresEmptyUpdate: true,
    validate: hasOneOfComponentsAndSlides,
  },
  fields,
  // Setting one of `components` and `slides` clears the other.
  derive(row, { verb, input }) {
    const swapped = input.components != null ? { slides: null } : input.slides != null ? { components: null } : {};
    const structure = parseStructure({ ...row, ...swapped });
    const named = verb === 'create' ? { card_uri: cardUriOf(row.id) } : {};
    return { ...swapped, ...named, card_type: deriveCardType(structure) };
  },
  rules: [isNotEmpty, mediaIsSuitable],
  problems: ['MISSING_PARAMETER', 'EXCLUSIVE_PARAMETERS', ...MEDIA_REQUIREMENT_PROBLEMS, 'IMAGE_TOO_LARGE'],
  list: {
    count: { preset: 100, max: 200 },
    without: ['with_total_count'],
    // `card_ids` takes precedence over `card_id`. @source decision 222
    idsAlias: 'card_id',
    search: 'name',
    searchMax: 80,
    extraFilters: {
      // Legacy cards do not exist here, so the parameter changes nothing.
      parameters: { include_legacy_cards: boolean().describe('Accepted without effect: there are no legacy cards.') },
      within: async () => ({}),
    },
  },
});

/** Requires exactly one of components and slides. @source creatives 5.2; decision 215 */
function hasOneOfComponentsAndSlides(request: RequestInput): readonly ErrorDetail[] {
  const [a, b] = ['components', 'slides'] as const;
  const [hasA, hasB] = [hasValue(request, a), hasValue(request, b)];
  if (hasA && hasB) return [{ problem: 'EXCLUSIVE_PARAMETERS', parameter: `${a}, ${b}`, words: { a, b } }];
  return request.verb === 'create' && !hasA && !hasB ? [{ problem: 'MISSING_PARAMETER', parameter: a }] : [];
}

/** Rule: a card must keep either components or slides. @source decision 215 */
function isNotEmpty({ after }: Change<Card>): ErrorDetail | undefined {
  const isEmpty = after.components === null && after.slides === null;
  return isEmpty ? { problem: 'MISSING_PARAMETER', parameter: 'components' } : undefined;
}

/** 3 MiB. @source decision 219 */
const BYTES_MAX = 3 * 1024 * 1024;

/**
 * Rule: newly set media must meet the requirements; media already set stays valid after it is removed from the library.
 * @source decision 217
 */
async function mediaIsSuitable(change: Change<Card>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  if (after.components === before?.components && after.slides === before?.slides) return [];
  const wanted = mediaReferences(parseStructure(after)).map((each) => ({
    ...each,
    types: ['IMAGE', 'VIDEO'] as const,
    image: { ratios: [RATIOS.square, RATIOS.wide], bytes_max: BYTES_MAX },
    video: { ratios: [RATIOS.film, RATIOS.square] },
  }));
  return checkMediaRequirements(change, wanted);
}
