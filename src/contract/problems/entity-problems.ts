import type { ProblemRow } from './problems.ts';

/** Errors of parameters, batches and entities. @source campaigns 2.2 and 2.3 */
export const entityProblems = {
  // Parameters: all errors of a request are reported together.
  MISSING_PARAMETER: {
    when: 'a required parameter is missing',
    ads: [400, 'MISSING_PARAMETER', '"{parameter}" is a required parameter'],
    numeric: [403, 38, '{parameter} parameter is missing.'],
    problem: [400, 'invalid-request', 'The `{parameter}` parameter is missing'],
    flat: [400, 38, '{parameter} parameter is missing.'],
  },
  NOT_IN_ENUM: {
    when: 'a value that is not one of those allowed',
    ads: [400, 'INVALID_PARAMETER', 'Expected a value in {list}, got "{raw}" for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not one of [{list}]'],
  },
  NOT_LONG: {
    when: 'not an integer, or greater than 9007199254740991',
    ads: [400, 'INVALID_PARAMETER', 'Expected Long, got "{raw}" for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not a whole number'],
  },
  NOT_POSITIVE: {
    when: 'an amount of zero or less',
    ads: [400, 'INVALID_PARAMETER', 'Expected a value greater than 0, got {raw} for {parameter}'],
  },
  OUT_OF_RANGE: {
    when: 'a number out of range',
    ads: [400, 'INVALID_PARAMETER', 'Expected int between {min} and {max}, got "{raw}" for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not between {min} and {max}'],
  },
  NOT_BOOLEAN: {
    when: 'neither true nor false',
    ads: [400, 'INVALID_PARAMETER', 'Expected boolean, got "{raw}" for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not one of [true, false]'],
  },
  NOT_TIME: {
    when: 'a malformed time',
    ads: [400, 'INVALID_PARAMETER', 'Expected time, got "{raw}" for {parameter}'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not a time'],
  },
  FRACTIONAL_HOUR: {
    when: 'a time that is not on the hour',
    ads: [400, 'INVALID_PARAMETER', 'Time cannot be fractional hours'],
  },
  NOT_AFTER: {
    when: 'an end that is not after the start',
    ads: [400, 'INVALID_PARAMETER', 'Expected {parameter} to be after {other}'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not after `{other}`'],
  },
  NOT_TEXT: {
    when: 'an array or object instead of text',
    ads: [400, 'INVALID_PARAMETER', 'Expected text for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value is not a text'],
  },
  TEXT_EMPTY: {
    when: 'an empty value of a required attribute',
    ads: [400, 'INVALID_PARAMETER', 'Expected a minimum length of 1, got 0 for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value is empty'],
  },
  TEXT_TOO_LONG: {
    when: 'text that is too long',
    ads: [400, 'INVALID_PARAMETER', 'Expected a maximum length of {max}, got {length} for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value has {length} characters; the most are {max}'],
  },
  ILLEGAL_CHARACTERS: {
    when: 'control characters, or text that is not well-formed Unicode',
    ads: [400, 'ILLEGAL_CHARACTERS', 'Illegal characters in {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value has characters that a text cannot have'],
  },
  NOT_AN_ID: {
    when: 'an id in a list with characters other than 0-9 and a-z',
    ads: [400, 'INVALID_PARAMETER', 'Expected an id, got "{raw}" for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
  },
  NOT_AN_EMAIL: {
    when: 'an email address without an @ between two parts, or with a blank',
    ads: [400, 'INVALID_PARAMETER', 'Expected an email address, got "{raw}" for {parameter}'],
  },
  NOT_A_CODE: {
    when: 'a country or currency code of the wrong length',
    ads: [400, 'INVALID_PARAMETER', 'Expected a code of {letters} letters, got "{raw}" for {parameter}'],
  },
  COUNTRY_UNKNOWN: {
    when: 'two letters that are not a country code of ISO 3166-1',
    ads: [400, 'INVALID_PARAMETER', 'Expected an ISO 3166-1 alpha-2 country code, got "{raw}" for {parameter}'],
  },
  TOO_FEW_ITEMS: {
    when: 'an empty list where at least one item is required',
    ads: [400, 'INVALID_PARAMETER', 'A minimum of 1 items must be provided for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value has no items'],
  },
  TOO_MANY_ITEMS: {
    when: 'a list with too many items',
    ads: [400, 'INVALID_PARAMETER', 'A maximum of {max} items may be provided for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value has too many items; the most are {max}'],
  },
  REPEATED_PARAMETER: {
    when: 'a parameter sent more than once in the same place',
    ads: [400, 'INVALID_PARAMETER', 'Expected one value, got {count} for {parameter}'],
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` parameter has {count} values instead of one'],
  },
  CURSOR_INVALID: {
    when: 'a cursor that is malformed or belongs to another list',
    ads: [400, 'INVALID_PARAMETER', 'Expected a cursor of this list, got "{raw}" for {parameter}'],
  },
  EXCLUSIVE_PARAMETERS: {
    when: 'two mutually exclusive parameters',
    ads: [400, 'EXCLUSIVE_PARAMETERS', '{a} and {b} are exclusive parameters'],
    problem: [400, 'invalid-request', 'The `{a}` and `{b}` parameters exclude each other'],
  },
  NOT_JSON: {
    when: 'a body that is not JSON',
    ads: [400, 'INVALID_PARAMETER', 'Request body is not valid JSON'],
    numeric: [400, 44, 'body parameter is invalid.'],
    problem: [400, 'invalid-request', 'Invalid JSON'],
  },
  CONTENT_TYPE: {
    when: 'a content type other than JSON where JSON is required',
    ads: [400, 'INVALID_PARAMETER', 'Content-Type must be application/json'],
    problem: [400, 'invalid-request', 'The content-type must be application/json'],
  },
  NOT_AN_OBJECT: {
    when: 'a JSON value that must be an object',
    ads: [400, 'INVALID_PARAMETER', 'Expected an object for {parameter}'],
  },

  ITEMS_OUT_OF_RANGE: {
    when: 'a list with too few or too many items',
    ads: [400, 'INVALID_PARAMETER', 'Expected {min} to {max} items, got {count} for {parameter}'],
  },
  INCLUSIVE_PARAMETERS: {
    when: 'one of two parameters that must be sent together',
    ads: [400, 'INCLUSIVE_PARAMETERS', '{a} and {b} are inclusive parameters'],
  },
  NOT_SETTABLE: {
    when: 'a read-only attribute',
    ads: [400, 'INVALID_PARAMETER', 'setting {parameter} is not allowed'],
  },

  // Batches.
  BATCH_NOT_ARRAY: {
    when: 'a batch body that is not an array',
    ads: [400, 'INVALID_PARAMETER', 'Expected an array of operations'],
  },
  BATCH_EMPTY: {
    when: 'an empty batch',
    ads: [400, 'INVALID_PARAMETER', 'A minimum of 1 items must be provided for operations'],
  },
  BATCH_TOO_LARGE: {
    when: 'a batch with too many items',
    ads: [400, 'REQUEST_TOO_COMPLEX', 'The maximum batch size of {max} has been exceeded'],
  },

  // Existence.
  ID_ILLEGAL: {
    when: 'an id in the path with characters other than 0-9 and a-z',
    ads: [404, 'INVALID_ID_ILLEGAL_CHARACTERS', '{kind} id {value} has illegal characters'],
  },
  NOT_FOUND: {
    when: 'the resource does not exist or is deleted',
    ads: [404, 'NOT_FOUND', '{kind} {value} was not found'],
  },
  CAMPAIGN_NOT_FOUND: { when: 'no such campaign', ads: [404, 'CAMPAIGN_NOT_FOUND', '{kind} {value} was not found'] },
  LINE_ITEM_NOT_FOUND: { when: 'no such line item', ads: [404, 'LINE_ITEM_NOT_FOUND', '{kind} {value} was not found'] },
  FUNDING_INSTRUMENT_NOT_FOUND: {
    when: 'no such funding instrument on this account',
    ads: [404, 'FUNDING_INSTRUMENT_NOT_FOUND', '{kind} {value} was not found'],
  },
  TARGETING_CRITERION_NOT_FOUND: {
    when: 'no such targeting criterion on this account',
    ads: [404, 'TARGETING_CRITERION_NOT_FOUND', '{kind} {value} was not found'],
  },
  PROMOTED_ACCOUNT_NOT_FOUND: {
    when: 'no such promoted account on this account',
    ads: [404, 'PROMOTED_ACCOUNT_NOT_FOUND', '{kind} {value} was not found'],
  },
  TAILORED_AUDIENCE_NOT_FOUND: {
    when: 'no such audience is owned by or shared with the account',
    ads: [404, 'TAILORED_AUDIENCE_NOT_FOUND', '{kind} {value} was not found'],
  },
  PROMOTABLE_USER_NOT_FOUND: {
    when: 'no such promotable user on this account',
    ads: [404, 'PROMOTABLE_USER_NOT_FOUND', '{kind} {value} was not found'],
  },

  // Entity rules and limits.
  INVALID: { when: 'a rule of the entity is violated', ads: [400, 'INVALID', '{message}'] },
  INVALID_FUNDING_INSTRUMENT: {
    when: 'the funding instrument of a campaign cannot fund',
    ads: [400, 'INVALID_FUNDING_INSTRUMENT', 'Funding instrument {value} cannot fund campaigns: {reasons}'],
  },
  CREDIT_LIMIT_EXCEEDED: {
    when: 'a total budget above the remaining credit of the credit line',
    ads: [
      403,
      'FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT',
      'The total budget exceeds the remaining credit of funding instrument {value}',
    ],
  },
  SPEND_EXCEEDS_BUDGET: {
    when: 'a total budget below what has been spent already',
    ads: [400, 'SPEND_EXCEEDS_BUDGET', 'The total budget of {total} is less than the {spent} that have been spent'],
  },
  INVALID_DENOMINATION: {
    when: 'an amount that is not a multiple of the smallest unit of its currency',
    ads: [400, 'INVALID_DENOMINATION', 'Expected a multiple of {unit} {currency} micros, got {raw} for {parameter}'],
  },
  TOO_MANY_CAMPAIGNS: {
    when: 'the account has its maximum of active campaigns: 200 unless the setting active_campaigns_max or a limit of the account itself says otherwise',
    ads: [400, 'TOO_MANY_CAMPAIGNS', 'Account {account} cannot have more than {max} active campaigns'],
  },
  TOO_MANY_LINE_ITEMS: {
    when: 'the campaign has its maximum of line items: 100 unless the setting campaign_line_items_max or a limit of the account itself says otherwise',
    ads: [400, 'TOO_MANY_LINE_ITEMS', 'Campaign {parent} cannot have more than {max} line items'],
  },
  TOO_MANY_ACTIVE_LINE_ITEMS: {
    when: 'the account has its maximum of active line items: 256 unless the setting active_line_items_max or a limit of the account itself says otherwise',
    ads: [400, 'TOO_MANY_LINE_ITEMS', 'Account {account} cannot have more than {max} active line items'],
  },
  FEATURE_NOT_AVAILABLE: {
    when: 'the account lacks the required feature',
    ads: [400, 'FEATURE_NOT_AVAILABLE', 'Feature {feature} is not available for account {account}'],
  },
  INVALID_PLACEMENT_TYPE: {
    when: 'a placement that cannot be set',
    ads: [400, 'INVALID_PLACEMENT_TYPE', 'Placement {raw} is not available'],
  },
  INVALID_IAB_CATEGORY: {
    when: 'an unknown IAB category',
    ads: [404, 'INVALID_IAB_CATEGORY', 'IAB category {value} was not found'],
  },

  // Targeting criteria and other children of line items.
  UNKNOWN_CRITERIA_TYPE: {
    when: 'a targeting type that is unknown or no longer supported',
    ads: [400, 'UNKNOWN_CRITERIA_TYPE', 'Expected a known targeting type, got "{raw}" for {parameter}'],
  },
  INVALID_TARGETING_TYPE: {
    when: 'a targeting type that cannot be used this way',
    ads: [400, 'INVALID_TARGETING_TYPE', 'Targeting type {name} can only be used {how}'],
  },
  NOT_A_TARGETING_VALUE: {
    when: 'a targeting value that does not exist for its type',
    ads: [400, 'INVALID_PARAMETER', 'Expected a value of the {name} look-up, got "{raw}" for {parameter}'],
  },
  NOT_CRITERIA: {
    when: 'an estimate whose body is neither a list of criteria nor an object with one',
    ads: [400, 'INVALID_PARAMETER', 'Expected an array of targeting criteria'],
  },
  ESTIMATE_TOO_LARGE: {
    when: 'an estimate with too many criteria',
    ads: [400, 'REQUEST_TOO_COMPLEX', 'A maximum of {max} targeting criteria can be estimated'],
  },
  PRIMARY_MISSING: {
    when: 'an estimate without a primary criterion whose operator is EQ',
    ads: [400, 'INVALID_PARAMETER', 'At least one primary targeting criterion is required'],
  },
  TOO_MANY_CRITERIA: {
    when: 'the limit of criteria of a type on a line item is reached',
    ads: [400, 'REQUEST_TOO_COMPLEX', 'Line item {line} cannot have more than {max} {kind} criteria'],
  },
  INVALID_TV_SHOW_LOCATIONS: {
    when: 'a TV show on a line item without a location',
    ads: [400, 'INVALID_TV_SHOW_LOCATIONS', 'A TV_SHOW criterion needs a LOCATION criterion first'],
  },
  TV_SHOW_OUTSIDE_MARKET: {
    when: 'a TV show that is not broadcast in a targeted location',
    ads: [400, 'TV_SHOW_OUTSIDE_MARKET', 'The locations of the line item are outside the market of the show'],
  },
  INCOMPATIBLE_LINE_ITEM: {
    when: 'a line item that cannot promote accounts',
    ads: [400, 'INCOMPATIBLE_LINE_ITEM', 'Line item {value} is not compatible with promoted accounts'],
  },
  INVALID_USER_ID: {
    when: 'a user other than the one whom the account advertises',
    ads: [400, 'INVALID_USER_ID', "You cannot promote someone else's account"],
  },

  // Posts.
  POST_NOT_FOUND: {
    when: 'no such post by a user whom the account may promote',
    ads: [404, 'POST_NOT_FOUND', '{kind} {value} was not found'],
  },
  PROMOTED_POST_NOT_FOUND: {
    when: 'no such promoted post on this account',
    ads: [404, 'PROMOTED_POST_NOT_FOUND', '{kind} {value} was not found'],
  },
  POST_CANNOT_BE_BLANK: {
    when: 'a post with neither text nor media',
    ads: [400, 'POST_CANNOT_BE_BLANK', 'A post needs text or media'],
  },
  POST_UNFIT: {
    when: 'a post that the line item cannot promote',
    ads: [400, 'INVALID_POST', 'Post {value} cannot be promoted by line item {line}: {why}'],
  },
  NOT_PROMOTABLE: {
    when: 'an author who is not a promotable user of the account',
    ads: [400, 'INVALID_USER_ID', 'User {value} is not a promotable user of account {account}'],
  },
  MEDIA_MIXED: {
    when: 'a combination of media that posts cannot have',
    ads: [400, 'INVALID_MEDIA', 'Expected up to 4 images, 1 GIF or 1 video for {parameter}'],
  },
  NEEDS_VIDEO: {
    when: 'an attribute of videos, without a video',
    ads: [400, 'INVALID_PARAMETER', 'Expected {parameter} with a video only'],
  },
  CARD_CLOSED: {
    when: 'a poll that has closed',
    ads: [400, 'INVALID_PARAMETER', 'Card {raw} is closed'],
  },
  TOO_SOON: {
    when: 'a scheduled time that is past or less than a minute ahead',
    ads: [400, 'INVALID_PARAMETER', 'Expected {parameter} to be at least 1 minute ahead'],
  },
  TOO_LATE: {
    when: 'a scheduled time that is too far ahead',
    ads: [400, 'INVALID_PARAMETER', 'Expected {parameter} to be at most {days} days ahead'],
  },
  TOO_MANY_SCHEDULED: {
    when: 'an account has 30 posts that are scheduled within the same quarter of an hour',
    ads: [
      400,
      'SCHEDULED_POST_LIMIT_EXCEEDED',
      'Account {account} cannot have more than {max} scheduled posts from {from} to {until}',
    ],
  },
} as const satisfies Record<string, ProblemRow>;
