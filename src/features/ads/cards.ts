import { boolean, text } from '../../contract/declare/fields.ts';
import {
  type Change,
  type Fields,
  LONG_IDS_FROM,
  type ResourceSpec,
  type RowOf,
  resource,
} from '../../contract/declare/resource.ts';
import { CREATIVE_READERS, CREATIVE_WRITERS } from '../../contract/declare/roles.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { mediaReferences, parseStructure } from './cards/card-structure.ts';
import { cardType, deriveCardType } from './cards/card-types.ts';
import { cardUri, cardUriOf } from './cards/card-uri.ts';
import { components, slides } from './cards/components.ts';
import { checkMediaRequirements, MEDIA_REQUIREMENT_PROBLEMS, RATIOS } from './cards/media-requirements.ts';

const fields = {
  name: text({ max: 80 }).required().sortable().describe('Shown to those who choose among cards.'),
  card_uri: cardUri().readOnly().required().filteredBy('card_uris').describe('How posts name the card.'),
  card_type: cardType()
    .readOnly()
    .required()
    .filteredBy('card_types')
    .describe('Follows from what the card shows and where it leads.'),
  components: components({ swipeableMin: 2 })
    .onUpdate(components({ swipeableMin: 1 }))
    .omittedWhenNull()
    .describe('One media component and one with text, in the order in which they are shown; or else `slides`.'),
  slides: slides()
    .omittedWhenNull()
    .describe('2 to 6 slides of one MEDIA and one DETAILS component each; or else `components`.'),
} satisfies Fields;

/** A stored card that is built from components. */
export type Card = RowOf<typeof fields>;

/**
 * Cards built from components: what a post shows beside its text, and where that leads.
 * @source advertising: Component-based cards; creatives 5
 */
export const cards = resource({
  name: 'card',
  plural: 'cards',
  label: 'Card',
  description: 'What a post shows beside its text, built from components.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: CREATIVE_READERS, write: CREATIVE_WRITERS },
  notFound: 'CARD_NOT_FOUND',
  rate: 'account_reads_small',
  idsFrom: LONG_IDS_FROM,
  longIds: true,
  body: 'object',
  isUnchangedByNothing: true,
  fields,
  checkInput: hasOneOfComponentsAndSlides,
  // What is given takes the place of what was there, whichever of the two that was.
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
    idsAlias: 'card_id',
    search: 'name',
    searchMax: 80,
    extraFilters: {
      // There are none: nothing makes them.
      parameters: { include_legacy_cards: boolean().describe('Cards of old kinds too; there are none.') },
      within: async () => ({}),
    },
  },
});

type Input = Parameters<NonNullable<ResourceSpec<typeof fields>['checkInput']>>[0];

/** A card has components or slides. @source creatives 5.2 */
function hasOneOfComponentsAndSlides({ verb, input, named }: Input): readonly ErrorDetail[] {
  // What cannot be read is there all the same.
  const has = (name: string): boolean => named.has(name) && input[name] !== null;
  const [a, b] = ['components', 'slides'] as const;
  if (has(a) && has(b)) return [{ problem: 'EXCLUSIVE_PARAMETERS', parameter: `${a}, ${b}`, words: { a, b } }];
  return verb === 'create' && !has(a) && !has(b) ? [{ problem: 'MISSING_PARAMETER', parameter: a }] : [];
}

function isNotEmpty({ after }: Change<Card>): ErrorDetail | undefined {
  const isEmpty = after.components === null && after.slides === null;
  return isEmpty ? { problem: 'MISSING_PARAMETER', parameter: 'components' } : undefined;
}

const BYTES_MAX = 3 * 1024 * 1024;

/** Only what is new is judged: what is shown stays, whatever became of the library since. */
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
