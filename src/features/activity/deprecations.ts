import { EVENT_TYPES_RENAMED_AT, REPLAY_MOVED_AT } from '../../base/api-changes.ts';
import { instantMs } from '../../base/instants.ts';
import type { Deprecation } from '../../contract/declare/deprecations.ts';

/**
 * The PascalCase names of event types, used before the dotted names.
 * @source activity 0.1, 16.1; decision 329
 */
export const PASCAL_CASE_NAMES: Deprecation = {
  from_s: instantMs(EVENT_TYPES_RENAMED_AT) / 1000,
  path: '/docs/activity',
  rel: 'deprecation',
  warning: 'PascalCase event types are deprecated; use the dot-separated names',
};

/**
 * The path of replays before they moved to `/2/webhooks`.
 * @source activity 0.2, 20.2; decision 329
 */
export const OLD_REPLAY_PATH: Deprecation = {
  from_s: instantMs(REPLAY_MOVED_AT) / 1000,
  path: '/2/webhooks/replay',
  rel: 'successor-version',
  warning: 'This path is deprecated; use POST /2/webhooks/replay',
};
