import { parseInstant } from '../base/instants.ts';
import { REPLAY_MOVED_AT } from '../base/recorded-changes.ts';
import { isAddressRange } from './addresses.ts';
import { bool, list, text } from './kinds.ts';

/** The settings of webhooks and replays. @source activity gaps 19 to 21 */
export const webhookSettings = {
  webhook_retry_schedule: list('After how many seconds a delivery is tried again, for each further try.', {
    default: ['3', '27', '242'],
    unit: 'seconds',
    expected: 'a comma list of at most 20 whole numbers from 1 to 604800',
    parse: (waits) =>
      waits.length <= 20 && waits.every((wait) => /^[1-9]\d{0,5}$/.test(wait) && Number(wait) <= 604_800)
        ? waits
        : undefined,
  }),
  webhook_allow_private: bool(
    'Lets webhooks be on this machine and in its networks, without https and on any port; off: as in production.',
    { default: false, default_dev: true, onlyIn: 'dev' },
  ),
  webhook_private_ranges: list('Private addresses that webhooks may have nevertheless, for receivers of your own.', {
    default: [],
    expected: 'a comma list of IP addresses or CIDR ranges',
    parse: (ranges) => (ranges.every(isAddressRange) ? ranges : undefined),
  }),
  webhook_egress_proxy: text(
    'All that is sent to webhooks goes through this proxy; no variable of a shell names one.',
    {
      default: '',
      secret: true,
      expected: 'an http:// or https:// address without path or query',
      parse: (url) => (/^https?:\/\/[^/?#\s]+\/?$/.test(url) && URL.canParse(url) ? url : undefined),
    },
  ),
  legacy_replay_exclusive_end: bool('Lets the old path of replays leave out the last minute, as it once did.', {
    default: false,
  }),
  legacy_replay_sunset: text('From then on the old path of replays answers no more; when empty, it stays.', {
    default: '',
    expected: `a time as 2027-01-01T00:00:00Z, not before ${REPLAY_MOVED_AT}, when it is deprecated`,
    parse: (said) => {
      const time = parseInstant(said);
      // Nothing ends before it is deprecated: RFC 9745.
      return time !== undefined && time >= REPLAY_MOVED_AT ? time : undefined;
    },
  }),
};
