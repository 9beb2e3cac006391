import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/min/metadata';

/** The countries of phone numbers: ISO 3166-1 alpha-2. */
export const PHONE_COUNTRIES: readonly string[] = getCountries(metadata);

/** Whether a phone number starts with a country code. */
export function isInternational(text: string): boolean {
  return /^(\+|00)/.test(plainOf(text));
}

/**
 * Formats a phone number with plus sign and country code, digits only; undefined if it is invalid.
 * @param country of numbers without a country code
 * @source decision 1160
 */
export function phoneNumberOf(text: string, country: string | undefined): string | undefined {
  const plain = plainOf(text);
  if (isInternational(plain)) return parse(plain.replace(/^00/, '+'))?.number;
  if (country === undefined) return undefined;
  // Exports omit the plus sign; national numbers are usually shorter, or start with a zero.
  const abroad = /^[1-9]/.test(plain) ? parse(`+${plain}`) : undefined;
  const code = getCountryCallingCode(country as CountryCode, metadata);
  return abroad?.countryCallingCode === code ? abroad.number : parse(plain, country)?.number;
}

function plainOf(text: string): string {
  return text.normalize('NFKC').trim().replace(/^tel:/i, '');
}

function parse(text: string, country?: string) {
  const from = country === undefined ? {} : { defaultCountry: country as CountryCode };
  const number = parsePhoneNumberFromString(text, { ...from, extract: false }, metadata);
  return number?.isValid() ? number : undefined;
}
