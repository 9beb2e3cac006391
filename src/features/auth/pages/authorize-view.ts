/** The state that decides what one of the two pages shows. */
export interface AuthorizeState {
  readonly endpoint: 'authorize' | 'authenticate';
  /** A user is logged in. */
  readonly isLoggedIn: boolean;
  readonly forcesLogin: boolean;
  /** The user has granted the application the requested access level; undefined without a login. */
  readonly isGranted: boolean | undefined;
  /** The application may skip the consent page for users who have granted access. */
  readonly allowsSignIn: boolean;
  /** The verifier is a PIN, which the user must read. */
  readonly usesPin: boolean;
}

/** The content of the page. `login` asks for name and password only; `redirect` has none. */
export type AuthorizeView = 'login and consent' | 'login' | 'consent' | 'redirect';

const any = undefined;
const [yes, no] = [true, false];

type Cell = boolean | undefined;

/** The first matching row decides. @source authentication 6.2; decision 75 */
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

/** Chooses the content of a page. A grant that is not yet known matches every row: it is checked after the login. */
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
