import type { ProblemName } from '../../../contract/problems/problems.ts';

/**
 * What people read when the API refuses something, by the kind of refusal; of others they read its message. Values stand
 * in them as in the messages of the API, and `{parameter}` is the label of the field.
 */
export const refusals: Readonly<Partial<Record<ProblemName, string>>> = {
  MISSING_PARAMETER: '{parameter} is missing',
  TEXT_EMPTY: '{parameter} is missing',
  TEXT_TOO_LONG: '{parameter} has {length} characters: at most {max} are allowed',
  ILLEGAL_CHARACTERS: '{parameter} has characters that are not allowed',
  NOT_IN_ENUM: '“{raw}” is not one of the choices',
  NOT_POSITIVE: '{parameter} must be more than 0',
  OUT_OF_RANGE: '{parameter} must be between {min} and {max}',
  NOT_TIME: '{parameter} is not a day',
  NOT_AFTER: '{parameter} must be after {other}',
  INVALID_DENOMINATION: '{parameter} is not an amount that can be paid in {currency}',
  ACCOUNT_NOT_ACCESSIBLE: 'There is no such account, or you have no role on it',
  GRANTED_TO_ITSELF: 'The audience belongs to this account already',
  FEATURE_NOT_AVAILABLE: 'The people who run this service have to allow this for the account first',
  ACTION_NOT_ALLOWED: 'Your role on this account does not allow this',
  RATE_LIMITED: 'Too many requests. Wait a few minutes, then try again',
  USER_SUSPENDED: 'Your user account is suspended',
  USER_LOCKED: 'Your user account is locked',
  NOT_FOUND: 'This no longer exists',
  FUNDING_INSTRUMENT_NOT_FOUND: 'This funding instrument no longer exists',
  TARGETING_CRITERION_NOT_FOUND: 'This is no longer part of the audience',
  TAILORED_AUDIENCE_NOT_FOUND: 'This audience no longer exists',
  POST_NOT_FOUND: 'This post no longer exists',
  PROMOTED_POST_NOT_FOUND: 'This ad no longer exists',
  INVALID_FUNDING_INSTRUMENT: 'This funding instrument cannot pay for campaigns at the moment',
  CREDIT_LIMIT_EXCEEDED: 'The total budget is more than the credit line can still pay',
  SPEND_EXCEEDS_BUDGET: 'The total budget is less than has been spent already',
  TOO_MANY_CAMPAIGNS: 'At most {max} campaigns of an account can be active',
  TOO_MANY_LINE_ITEMS: 'A campaign can have at most {max} line items',
  TOO_MANY_ACTIVE_LINE_ITEMS: 'At most {max} line items of an account can be active',
  TOO_MANY_CRITERIA: 'A line item can have at most {max} of these',
  NOT_A_TARGETING_VALUE: 'Nothing is called “{raw}” here',
  POST_CANNOT_BE_BLANK: 'Write something, or choose a picture',
  POST_UNFIT: 'The line item cannot show this post: {why}',
  MEDIA_NOT_TRANSCODED: 'The picture is still being processed. Try again in a moment',
  INVALID_MEDIA: 'This picture can no longer be used: choose it again',
};
