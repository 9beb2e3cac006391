import type { ProblemRow } from './problems.ts';

/** Errors of reported conversions. None repeats an identifier, because it may be personal data. @source decision 993 */
export const conversionProblems = {
  TOO_MANY_CONVERSIONS: {
    when: 'a call with too many conversions',
    ads: [400, 'INVALID_PARAMETER', 'Conversion count limit is {max}'],
  },
  CONVERSION_UNIDENTIFIED: {
    when: 'a conversion without an identifier that can tell whose it is',
    ads: [400, 'INVALID_PARAMETER', 'At least one user identifier must be provided'],
  },
  CONVERSION_EVENT_UNKNOWN: {
    when: 'a conversion of an event that is no web event tag of the account',
    ads: [400, 'INVALID_PARAMETER', 'Event_id ({raw}) is not a web event tag of account {account}'],
  },
  CONVERSION_TIME_BEYOND: {
    when: 'a conversion in the future, or so old that no click can count for it',
    ads: [400, 'INVALID_PARAMETER', 'Expected a time within the last {max} days, got "{raw}" for {parameter}'],
  },
  CONVERSION_VALUE: {
    when: 'a value that is no amount, or below zero',
    ads: [400, 'INVALID_PARAMETER', 'Expected an amount from 0 to {max} for {parameter}'],
  },
  CONVERSION_BEYOND_CLICK: {
    when: 'an event of a website beyond what can be reported without credentials for one click on an ad',
    ads: [
      400,
      'INVALID_PARAMETER',
      'For each click and event at most {events} events, {items} things in each and {amount} {currency} in all count without credentials',
    ],
  },
  CONVERSION_CURRENCY: {
    when: 'a currency that is no code of three letters',
    ads: [400, 'INVALID_PARAMETER', 'Expected a currency of three letters for {parameter}'],
  },
} as const satisfies Record<string, ProblemRow>;
