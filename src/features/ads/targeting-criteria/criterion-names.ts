import { oneOf, type StoredValue, text } from '../../../contract/declare/fields.ts';
import type { Computed } from '../../../contract/declare/resource.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { campaigns } from '../campaigns.ts';
import { localizedName, referenceEntry } from '../reference/reference-entry.ts';
import type { Criterion } from './criteria-rows.ts';
import { targetingType } from './targeting-types.ts';

/**
 * Computed names of criteria; the users and campaigns of a page are read together. The default is the value.
 * @source campaigns 10.1; decision 147
 */
export const criterionNames: Computed<Criterion> = {
  fields: {
    name: text({ max: 255 }).readOnly().required().describe('Display name of the targeting value.'),
    localized_name: text({ max: 255 }).readOnly().omittedWhenNull().describe('Display name in the requested language.'),
    location_type: oneOf('COUNTRIES', 'REGIONS', 'METROS', 'CITIES', 'POSTAL_CODES')
      .readOnly()
      .omittedWhenNull()
      .describe('Location type, for locations only.'),
  },
  async prepare(rows, { tx, input }) {
    const users = valuesOf(rows, 'user', 'advertiser');
    const handles: ReadonlyMap<string, string> =
      users.length === 0 ? new Map() : await tx.credentials.findScreenNames(users);
    const campaignNames = await campaignNamesOf(rows, tx);
    const lang = typeof input?.lang === 'string' ? input.lang : undefined;
    return (row) => {
      const type = String(row.targeting_type);
      const value = String(row.targeting_value);
      const kind = targetingType(type).value;
      const named = (name: string | undefined): Record<string, StoredValue | null> => ({ name: name ?? value });
      switch (kind.is) {
        case 'looked-up':
        case 'iab':
          return lookedUp(type, value, lang);
        case 'word':
          return named(kind.words[value]);
        case 'user':
        case 'advertiser':
          return named(handles.get(value));
        case 'campaign':
          return named(campaignNames.get(value));
        case 'audience':
          return named('Custom audience targeting');
        default:
          return named(value);
      }
    };
  },
};

function lookedUp(type: string, value: string, lang: string | undefined): Record<string, StoredValue | null> {
  const entry = referenceEntry(type, value);
  const isInside = entry?.location_type !== undefined && entry.location_type !== 'COUNTRIES';
  return {
    // Names of locations inside a country include the country.
    name: entry ? (isInside ? `${entry.name}, ${entry.country_code}` : entry.name) : value,
    localized_name: (lang && localizedName(type, value, lang)) || null,
    location_type: entry?.location_type ?? null,
  };
}

function valuesOf(rows: readonly Criterion[], ...kinds: readonly string[]): string[] {
  const some = rows.filter((row) => kinds.includes(targetingType(String(row.targeting_type)).value.is));
  return [...new Set(some.map((row) => String(row.targeting_value)))];
}

async function campaignNamesOf(rows: readonly Criterion[], tx: ReadTransaction): Promise<ReadonlyMap<string, string>> {
  const [first] = rows;
  const ids = valuesOf(rows, 'campaign');
  if (!first || ids.length === 0) return new Map();
  const found = await tx.records.getMany(campaigns, first.account_id, ids, { deleted: 'shown' });
  return new Map(found.map((row) => [row.id, String(row.name)]));
}
