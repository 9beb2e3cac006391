/**
 * All actions of operators on their pages, and whether they require a reason: those that revoke access, stop ads, or
 * allow a login as another user. The last word is the value of the form field `act`.
 * @source decision 1266
 */
export const OPERATOR_ACTS = {
  'user create': { needsReason: false },
  'user link': { needsReason: true },
  'user suspend': { needsReason: true },
  'user resume': { needsReason: false },
  'user lock': { needsReason: true },
  'user unlock': { needsReason: false },
  'account create': { needsReason: false },
  'account approve': { needsReason: true },
  'account grant': { needsReason: false },
  'account revoke': { needsReason: true },
  'account fund': { needsReason: false },
  'account features': { needsReason: false },
  'account limits': { needsReason: false },
  'app suspend': { needsReason: true },
  'app resume': { needsReason: false },
  'app level': { needsReason: false },
  'app limits': { needsReason: false },
  'publisher disable': { needsReason: true },
  'publisher enable': { needsReason: false },
  'session end': { needsReason: false },
} as const satisfies Readonly<Record<string, { readonly needsReason: boolean }>>;

/** The name of an action; the audit log prefixes it with `console `. */
export type OperatorAct = keyof typeof OPERATOR_ACTS;
