import type { Reason } from './people-columns.ts';

/** Why commands refuse a row, or leave out a value. Values are never quoted: they may be personal data. */
export const REASONS: Readonly<Record<Reason, string>> = {
  email: 'not an e-mail address',
  phone_number: 'not a phone number of any country',
  country_code: 'a phone number without country code, and its country is not known',
  handle: 'not a screen name',
  service_user_id: 'not a user id',
  device_id: 'not a device id',
  partner_user_id: 'longer than 256 characters',
  hash: 'not 64 hexadecimal digits',
  unreadable: 'not readable as text',
  date: 'not a date such as 2026-12-31',
  expired: 'in the past',
  no_identifier: 'no identifier',
  too_many_values: 'more values than columns',
};
