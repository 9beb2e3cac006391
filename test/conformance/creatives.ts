import { audienceRules } from './creatives/audiences.ts';
import { cardRules } from './creatives/cards.ts';
import { listRules } from './creatives/lists.ts';
import { mediaRules } from './creatives/media.ts';
import { postRules } from './creatives/posts.ts';
import type { Rule } from './rule.ts';

/** Checks of docs/protocol/creatives.md. */
export const creativesRules: readonly Rule[] = [
  ...listRules,
  ...mediaRules,
  ...cardRules,
  ...postRules,
  ...audienceRules,
];
