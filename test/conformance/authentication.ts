import { callRules } from './authentication/calls.ts';
import { pageRules } from './authentication/pages.ts';
import { signingRules } from './authentication/signing.ts';
import { tokenRules } from './authentication/tokens.ts';
import { transportRules } from './authentication/transport.ts';
import type { Rule } from './rule.ts';

/** Checks of docs/protocol/authentication.md. */
export const authenticationRules: readonly Rule[] = [
  ...transportRules,
  ...signingRules,
  ...tokenRules,
  ...pageRules,
  ...callRules,
];
