/** The access levels of applications, lowest first. @source authentication 4 */
export const ACCESS_LEVELS = ['read', 'read-write', 'read-write-directmessages'] as const;
/** The access level of an application or a token. */
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** A user of the platform. */
export interface User {
  readonly id: string;
  readonly screen_name: string;
  readonly name: string;
  /** Encoded argon2id hash. */
  readonly password_hash: string;
  readonly suspended: 0 | 1;
  /** A confirmed e-mail address; null when there is none. */
  readonly email: string | null;
  /** 1 while the account is temporarily locked, which is no sanction. */
  readonly locked: 0 | 1;
  /** The user's self-description; may be empty. */
  readonly description: string;
  /** The location that the user entered; may be empty. */
  readonly location: string;
  readonly url: string | null;
  readonly verified_type: VerifiedType;
  /** User id of the organisation whose badge they carry; null when none. */
  readonly affiliate_id: string | null;
  readonly created_at: string;
  /** When the password was last changed or reset; null until the first change. */
  readonly password_changed_at: string | null;
}

/** The kinds of verification. @source activity 16.3 */
export const VERIFIED_TYPES = ['none', 'blue', 'business', 'government'] as const;
/** How a user is verified. */
export type VerifiedType = (typeof VERIFIED_TYPES)[number];

/** The profile of a user; none of it is needed to register. */
export type Profile = Pick<User, 'description' | 'location' | 'url' | 'verified_type' | 'affiliate_id'>;

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
  /** Shown on consent pages; may be empty. */
  readonly description: string;
  readonly website_url: string;
  readonly terms_url: string;
  readonly privacy_url: string;
  readonly organization_name: string;
  readonly organization_url: string;
  /** 1 for an application without a web address of its own, which may only use `oob`. */
  readonly native: 0 | 1;
  /** 1 when a registered address without a query also matches that address with any query. */
  readonly extra_query: 0 | 1;
  /** 1 when users are asked to share their e-mail address with it. */
  readonly email_access: 0 | 1;
  readonly created_at: string;
}

/** What the owner of an application sets; the service sets the rest. */
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

/** An access token of a user for an application. The secret is sealed; revoked tokens are never removed. */
export interface AccessToken {
  readonly id: string;
  readonly token: string;
  readonly token_secret: string;
  readonly application_id: string;
  readonly user_id: string;
  readonly access_level: AccessLevel;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** The day of its last use; null when never used. */
  readonly last_used_at: string | null;
}

/** A token and the user who granted it. */
export interface HeldToken {
  readonly user_id: string;
  readonly screen_name: string;
  readonly access_level: AccessLevel;
  readonly created_at: string;
  readonly last_used_at: string | null;
}
