/** What is known when one of the two pages is opened. */
export interface AuthorizeState {
  readonly endpoint: 'authorize' | 'authenticate';
  /** Somebody is logged in. */
  readonly isLoggedIn: boolean;
  readonly forcesLogin: boolean;
  /** The user has granted this application the level asked for; undefined while nobody is logged in. */
  readonly isGranted: boolean | undefined;
  /** The application may skip the question for those who have granted. */
  readonly allowsSignIn: boolean;
  /** The answer is a PIN, which a human must read. */
  readonly usesPin: boolean;
}

/** What is shown. `login` asks for name and password and nothing else yet; `redirect` shows nothing. */
export type AuthorizeView = 'login and consent' | 'login' | 'consent' | 'redirect';

const any = undefined;
const [yes, no] = [true, false];

type Cell = boolean | undefined;

/** The first row that fits decides. @source authentication gaps 6.2 */
const TABLE: readonly (readonly [AuthorizeState['endpoint'], S: Cell, F: Cell, G: Cell, A: Cell, AuthorizeView])[] = [
  // endpoint       session forced granted sign-in
  ['authorize', /*    */ no, any, any, any, 'login and consent'],
  ['authorize', /*    */ yes, no, any, any, 'consent'],
  ['authorize', /*    */ yes, yes, any, any, 'login and consent'],
  ['authenticate', /* */ yes, no, yes, yes, 'redirect'],
  ['authenticate', /* */ yes, no, yes, no, 'consent'],
  ['authenticate', /* */ yes, no, no, any, 'consent'],
  ['authenticate', /* */ no, any, yes, yes, 'login'],
  ['authenticate', /* */ any, yes, yes, yes, 'login'],
  ['authenticate', /* */ any, any, any, any, 'login and consent'],
];

/** What a page shows. A grant that cannot be known yet fits every row: it is looked at after the login. */
export function authorizeView(opening: AuthorizeState): AuthorizeView {
  const endpoint = opening.usesPin ? 'authorize' : opening.endpoint;
  const known = [opening.isLoggedIn, opening.forcesLogin, opening.isGranted, opening.allowsSignIn];
  const row = TABLE.find(
    ([on, ...cells]) =>
      on === endpoint &&
      known.every((value, index) => value === undefined || cells[index] === any || cells[index] === value),
  );
  return row![5];
}
