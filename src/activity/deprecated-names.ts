import type { Deprecation } from '../contract/deprecations.ts';

/**
 * The names of types from before they were written with dots.
 * @source advertising Events; activity gaps 16.1
 */
export const PASCAL_CASE_NAMES: Deprecation = {
  // 2026-03-18T00:00:00Z
  from_s: 1_773_792_000,
  path: '/docs/activity',
  rel: 'deprecation',
  warning: 'PascalCase event types are deprecated; use the dot-separated names',
};
