import { hash } from 'node:crypto';
import { nameOfCountry } from './names.ts';
import { readTable } from './table.ts';

/** The kinds of places, wide to narrow. @source campaigns 10.1 */
export const LOCATION_TYPES = ['COUNTRIES', 'REGIONS', 'METROS', 'CITIES', 'POSTAL_CODES'] as const;

/** A place that can be targeted. */
export interface Place {
  /** 16 hexadecimal digits. */
  readonly targeting_value: string;
  readonly name: string;
  readonly country_code: string;
  readonly location_type: (typeof LOCATION_TYPES)[number];
}

/** The 249 codes of ISO 3166-1 alpha-2. */
export const COUNTRY_CODES: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT ' +
  'MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ');

/** Ids that were given out before the rule that makes the others. @source campaigns 11 */
const KNOWN: Readonly<Record<string, string>> = {
  'COUNTRIES:US': '96683cc9126741d1',
  'METROS:US:San Francisco-Oakland-San Jose CA': '5122804691e5fecc',
  'CITIES:US:Los Angeles': '3b77caf94bfc81fe',
};

/** Every place: countries by name, then what is in them, as the table lists it. */
export function places(): Place[] {
  const countries = COUNTRY_CODES.map((code) => place('COUNTRIES', code, nameOfCountry(code, 'en')!, code));
  countries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const within = readTable<'location_type' | 'country_code' | 'name' | 'code'>('places').map((line) => {
    const type = line.location_type as Place['location_type'];
    return place(type, line.country_code, line.name, line.code || `${line.country_code}:${line.name}`);
  });
  return [...countries, ...within];
}

/** An id is made of what a place is, so that it stays what it was when the table grows. @source campaigns 11 */
function place(type: Place['location_type'], country: string, name: string, key: string): Place {
  const what = `${type}:${key}`;
  const value = KNOWN[what] ?? hash('sha256', what).slice(0, 16);
  return { targeting_value: value, name, country_code: country, location_type: type };
}
