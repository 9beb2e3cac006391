import type { Deprecation } from '../contract/deprecations.ts';

/**
 * The names of event types from before they were written with dots.
 * @source advertising Events; activity gaps 16.1
 */
export const PASCAL_CASE_NAMES: Deprecation = {
  // 2026-03-18T00:00:00Z
  from_s: 1_773_792_000,
  path: '/docs/activity',
  rel: 'deprecation',
  warning: 'PascalCase event types are deprecated; use the dot-separated names',
};

/**
 * The path of replays from before they had one of their own among webhooks.
 * @source advertising Versioning 3; activity gaps 20.2
 */
export const OLD_REPLAY_PATH: Deprecation = {
  // 2026-03-25T16:00:00Z
  from_s: 1_774_454_400,
  path: '/2/webhooks/replay',
  rel: 'successor-version',
  warning: 'This path is deprecated; use POST /2/webhooks/replay',
};
