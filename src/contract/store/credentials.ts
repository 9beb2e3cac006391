/** What an application may do, lowest first. @source authentication gaps 4 */
export const ACCESS_LEVELS = ['read', 'read-write', 'read-write-directmessages'] as const;
/** The permission level of an application or of a token. */
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** A user of the platform. */
export interface User {
  readonly id: string;
  readonly screen_name: string;
  readonly name: string;
  /** Encoded argon2id hash. */
  readonly password_hash: string;
  readonly suspended: 0 | 1;
  /** An address that is known to be theirs; null when none is. */
  readonly email: string | null;
  /** 1 while the account is locked: for a time, not for what its user did. */
  readonly locked: 0 | 1;
  /** What they say of themselves; empty when nothing. */
  readonly description: string;
  /** Where they say that they are; empty when nowhere. */
  readonly location: string;
  readonly url: string | null;
  readonly verified_type: VerifiedType;
  /** The user, an organisation, whose badge they carry; null when nobody's. */
  readonly affiliate_id: string | null;
  readonly created_at: string;
  /** When the password was last changed or reset; null while it is the first. */
  readonly password_changed_at: string | null;
}

/** How a user is verified. @source activity gaps 16.3 */
export const VERIFIED_TYPES = ['none', 'blue', 'business', 'government'] as const;
/** One of the ways in which a user is verified. */
export type VerifiedType = (typeof VERIFIED_TYPES)[number];

/** What a user says on the profile; nothing of it is needed to register. */
export type Profile = Pick<User, 'description' | 'location' | 'url' | 'verified_type' | 'affiliate_id'>;

/** A user who is registered; nobody is locked from the beginning unless that is said. */
export type NewUser = Omit<User, Unsaid> & Partial<Pick<User, Unsaid>>;
type Unsaid = 'locked' | 'password_changed_at' | keyof Profile;

/** A registered application. Secrets are sealed. */
export interface Application {
  readonly id: string;
  readonly owner_user_id: string;
  readonly name: string;
  readonly access_level: AccessLevel;
  readonly consumer_key: string;
  readonly consumer_secret: string;
  /** JSON text: registered callback addresses. */
  readonly callbacks: string;
  /** 1 when the silent sign-in path is allowed. */
  readonly sign_in: 0 | 1;
  readonly suspended: 0 | 1;
  /** 1 for the demo application, which production refuses. */
  readonly demo: 0 | 1;
  /** What consent pages tell; empty when it was not given. */
  readonly description: string;
  readonly website_url: string;
  readonly terms_url: string;
  readonly privacy_url: string;
  readonly organization_name: string;
  readonly organization_url: string;
  /** 1 for an application without a web address of its own: it may only use `oob`. */
  readonly native: 0 | 1;
  /** 1 when a registered address without a query matches the same address with any. */
  readonly extra_query: 0 | 1;
  /** 1 when users are asked to let it see their e-mail address. */
  readonly email_access: 0 | 1;
  readonly created_at: string;
}

/** What the owner of an application says about it; everything else the service decides. */
export type ApplicationDraft = Pick<
  Application,
  | 'name'
  | 'access_level'
  | 'sign_in'
  | 'description'
  | 'website_url'
  | 'terms_url'
  | 'privacy_url'
  | 'organization_name'
  | 'organization_url'
  | 'native'
  | 'extra_query'
  | 'email_access'
> & { readonly callbacks: readonly string[] };

/** An access token of a user for an application. The secret is sealed; a revoked token stays for ever. */
export interface AccessToken {
  readonly id: string;
  readonly token: string;
  readonly token_secret: string;
  readonly application_id: string;
  readonly user_id: string;
  readonly access_level: AccessLevel;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** The day on which it was last used; null before. */
  readonly last_used_at: string | null;
}

/** A token and who gave it. */
export interface HeldToken {
  readonly user_id: string;
  readonly screen_name: string;
  readonly access_level: AccessLevel;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** Users, applications and tokens. */
export interface Credentials {
  findUser(id: string): Promise<User | undefined>;
  /** The screen names of users by id; users that there are not are absent. */
  findScreenNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  findUserByName(screenName: string): Promise<User | undefined>;
  /** The users that have one of these screen names, in any letter case. */
  findUsersByNames(screenNames: readonly string[]): Promise<User[]>;
  /** Users by name; the next `limit` after a name in lower case. */
  listUsers(query: { after: string; limit: number }): Promise<User[]>;
  findApplication(id: string): Promise<Application | undefined>;
  findApplicationByKey(consumerKey: string): Promise<Application | undefined>;
  findToken(token: string): Promise<AccessToken | undefined>;
  /** Tokens of a user for an application that are not revoked. */
  findLiveTokens(user: string, application: string): Promise<AccessToken[]>;
  findApplicationByName(name: string): Promise<Application | undefined>;
  /** Applications by id, those of an owner or all; the next `limit` after an id. */
  listApplications(query: { owner?: string; after: string; limit: number }): Promise<Application[]>;
  /** Tokens of a user that are not revoked, by application. */
  listTokensOf(user: string): Promise<AccessToken[]>;
  /** How many tokens of an application are not revoked, by level. */
  listTokenCounts(application: string): Promise<{ access_level: AccessLevel; count: number }[]>;
  /** Tokens of an application that are not revoked and have another level, with the names of their users. */
  listOtherTokens(application: string, level: AccessLevel, limit: number): Promise<HeldToken[]>;
  /** Whether any demo application is stored. */
  findDemo(): Promise<Application | undefined>;
  /** Any application, when there is one. */
  findSomeApplication(): Promise<Application | undefined>;
  /** Finds a user and keeps other units that do the same waiting until this one ends. */
  lockUser(id: string): Promise<User | undefined>;
  /** Finds an application and keeps other units that do the same waiting until this one ends. */
  lockApplication(id: string): Promise<Application | undefined>;
  changeUser(id: string, changes: Partial<Omit<User, 'id' | 'created_at'>>): Promise<void>;
  changeApplication(id: string, changes: Partial<Omit<Application, 'id'>>): Promise<void>;
  /** Notes on which day tokens were used. */
  recordUse(tokens: readonly string[], day: string): Promise<void>;
  addUser(user: NewUser): Promise<void>;
  addApplication(application: Application): Promise<void>;
  addToken(token: AccessToken): Promise<void>;
  /** Marks a token as revoked; true when it was not before. */
  revokeToken(id: string, at: string): Promise<boolean>;
}
