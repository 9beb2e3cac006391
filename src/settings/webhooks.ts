import { REPLAY_MOVED_AT } from '../base/api-changes.ts';
import { parseInstant } from '../base/instants.ts';
import { isAddressRange } from './addresses.ts';
import { bool, list, text } from './kinds.ts';

/** Settings of webhooks and replays. @source activity 19 to 21 */
export const webhookSettings = {
  webhook_retry_schedule: list('Delays before each retry of a delivery.', {
    default: ['3', '27', '242'],
    unit: 'seconds',
    expected: 'a comma list of at most 20 whole numbers from 1 to 604800',
    parse: (waits) =>
      waits.length <= 20 && waits.every((wait) => /^[1-9]\d{0,5}$/.test(wait) && Number(wait) <= 604_800)
        ? waits
        : undefined,
  }),
  webhook_allow_private: bool('Allows webhooks at private addresses, over plain http and on any port.', {
    default: false,
    default_dev: true,
    onlyIn: 'dev',
  }),
  webhook_private_ranges: list('Private address ranges that webhooks may use, for receivers of your own.', {
    default: [],
    expected: 'a comma list of IP addresses or CIDR ranges',
    parse: (ranges) => (ranges.every(isAddressRange) ? ranges : undefined),
  }),
  webhook_egress_proxy: text('HTTP proxy for requests to webhooks; proxy variables of the environment are ignored.', {
    default: '',
    secret: true,
    expected: 'an http:// or https:// address without path or query',
    parse: (url) => (/^https?:\/\/[^/?#\s]+\/?$/.test(url) && URL.canParse(url) ? url : undefined),
  }),
  legacy_replay_exclusive_end: bool('The old replay path excludes the end of the period, as it originally did.', {
    default: false,
  }),
  legacy_replay_sunset: text('When the old replay path is removed; when empty, it stays.', {
    default: '',
    expected: `a time as 2027-01-01T00:00:00Z, not before ${REPLAY_MOVED_AT}, when it is deprecated`,
    parse: (text) => {
      const time = parseInstant(text);
      // RFC 9745: a sunset is not before the deprecation.
      return time !== undefined && time >= REPLAY_MOVED_AT ? time : undefined;
    },
  }),
};
