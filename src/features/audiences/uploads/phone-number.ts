import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/min/metadata';

/** The countries that phone numbers can be of, as ISO 3166-1 alpha-2 codes. */
export const PHONE_COUNTRIES: readonly string[] = getCountries(metadata);

/** Whether a phone number begins with the code of its country. */
export function isInternational(text: string): boolean {
  return /^(\+|00)/.test(plainOf(text));
}

/**
 * A phone number with plus sign and country code, digits only; undefined when no country has one like it.
 * @param country of numbers without the code of a country; undefined when there are none
 * @source decision 1160
 */
export function phoneNumberOf(text: string, country: string | undefined): string | undefined {
  const plain = plainOf(text);
  if (isInternational(plain)) return parsed(plain.replace(/^00/, '+'))?.number;
  if (country === undefined) return undefined;
  // Exports leave out the plus sign; numbers within most countries are shorter, or begin with a zero.
  const abroad = /^[1-9]/.test(plain) ? parsed(`+${plain}`) : undefined;
  const code = getCountryCallingCode(country as CountryCode, metadata);
  return abroad?.countryCallingCode === code ? abroad.number : parsed(plain, country)?.number;
}

function plainOf(text: string): string {
  return text.normalize('NFKC').trim().replace(/^tel:/i, '');
}

function parsed(text: string, country?: string) {
  const from = country === undefined ? {} : { defaultCountry: country as CountryCode };
  const number = parsePhoneNumberFromString(text, { ...from, extract: false }, metadata);
  return number?.isValid() ? number : undefined;
}
