import { Type } from '../../base/json-schema.ts';
import { type Field, field, isErrorDetail, quoted } from './fields.ts';

/** A code of `letters` letters, as of countries and currencies; lower-case letters are folded. @source decision 156 */
export function code({ letters }: { letters: number }): Field<string> {
  const pattern = `^[A-Z]{${letters}}$`;
  return field<string>({
    name: 'code',
    column: 'text',
    schema: Type.String({ pattern }),
    problems: ['NOT_A_CODE'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      const value = typeof raw === 'string' ? raw.trim().toUpperCase() : '';
      if (new RegExp(pattern).test(value)) return value;
      return { problem: 'NOT_A_CODE', parameter, words: { letters, raw: quoted(raw) } };
    },
  });
}

/** The ISO 3166-1 alpha-2 country codes. @source decision 586 */
export const COUNTRY_CODES: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT ' +
  'MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ');

const COUNTRIES: ReadonlySet<string> = new Set(COUNTRY_CODES);

/** An ISO 3166-1 alpha-2 country code. Lower-case letters are folded, or rejected with `isFolded: false`. */
export function countryCode({ isFolded = true }: { readonly isFolded?: boolean } = {}): Field<string> {
  const { kind } = code({ letters: 2 });
  return field<string>({
    ...kind,
    problems: [...kind.problems, 'COUNTRY_UNKNOWN'],
    read(raw, parameter) {
      const read = kind.read(raw, parameter);
      if (isErrorDetail(read)) return read;
      if (!isFolded && read !== raw) {
        return { problem: 'NOT_A_CODE', parameter, words: { letters: '2 capital', raw: quoted(raw) } };
      }
      return COUNTRIES.has(read) ? read : { problem: 'COUNTRY_UNKNOWN', parameter, words: { raw: quoted(raw) } };
    },
  });
}
