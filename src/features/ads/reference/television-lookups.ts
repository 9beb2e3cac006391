import { Type } from '../../../base/json-schema.ts';
import { oneOf } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { countryName } from './localized-names.ts';
import { nameSearch } from './lookup-operation.ts';
import { targetingLookup } from './targeting-lookup.ts';
import { type Show, shows } from './targeting-tables.ts';

/** Locales of television markets. @source campaigns 11 */
const MARKETS =
  'es-AR pt-BR en-CA es-CL es-CO fr-FR de-DE en-IE it-IT ja-JP es-MX nl-NL es-ES en-GB en-US es-US es-VE'.split(' ');

interface Market {
  readonly name: string;
  readonly country_code: string;
  readonly locale: string;
}

/** Lists television markets. */
export const marketLookup: Operation = targetingLookup<Market>({
  name: 'tv_markets',
  description: 'List television markets: a language in a country.',
  rate: 'reads',
  filters: {},
  example: {},
  paging: { is: 'whole' },
  row: { name: Type.String(), country_code: Type.String(), locale: Type.String() },
  rows: () => MARKETS.map(marketOf),
});

function marketOf(locale: string): Market {
  const country_code = locale.slice(-2);
  const name = countryName(country_code, 'en')!;
  return { name: locale === 'es-US' ? `${name} - Hispanic` : name, country_code, locale };
}

/** Lists the television shows of a market. @source decision 159 and 180 */
export const showLookup: Operation = targetingLookup<Show>({
  name: 'tv_shows',
  description: 'List the television shows of a market.',
  rate: 'reads',
  filters: {
    locale: {
      field: oneOf(...MARKETS)
        .required()
        .describe('Market, a locale of `tv_markets`.'),
      matches: ({ markets }, locale) => markets.includes(locale),
    },
    ...nameSearch<Show>(),
  },
  example: { locale: 'en-IE', count: '1' },
  paging: { is: 'page', default: 50, max: 50 },
  row: {
    name: Type.String(),
    targeting_value: Type.String(),
    genre: Type.String(),
    locales: Type.Array(Type.Closed({ language: Type.String(), country: Type.String() })),
  },
  rows: shows,
  computedMembers: ({ markets }) => ({
    locales: markets.map((market) => ({ language: market.slice(0, 2), country: market.slice(-2) })),
  }),
});
