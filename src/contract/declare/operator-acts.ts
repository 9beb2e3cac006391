/**
 * Everything that operators do on their pages, and whether they have to say why: for what takes access from others, stops
 * their ads, or lets somebody log in as them. The last word is the member `act` of its form.
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

/** The name of an act; it is recorded after `console `. */
export type OperatorAct = keyof typeof OPERATOR_ACTS;
