/** What of a person is one word: the place in this list is the order of the columns of an image. */
export const PERSON_WORDS = [
  'country',
  'region',
  'metro',
  'city',
  'postal_code',
  'language',
  'gender',
  'platform',
  'platform_version',
  'device',
  'network_operator',
  'wifi',
] as const;

/** A word by which people are told apart; `country` is ISO 3166-1 alpha-2, all others are values of targeting. */
export type PersonWord = (typeof PERSON_WORDS)[number];

/**
 * What a person has several of: values of targeting for interests and store categories, ids of users who are followed; of
 * engagements their kinds, and what was engaged with as `user:ID` or `campaign:ID`.
 */
export const PERSON_LISTS = ['interests', 'follows', 'store_categories', 'engagements'] as const;

/** What a person has several of. */
export type PersonList = (typeof PERSON_LISTS)[number];

/** A user of the platform, as the directory has him. Times are whole seconds since 1970. */
export interface Person extends Readonly<Record<PersonWord, string | null>>, Readonly<Record<PersonList, string>> {
  /** Decimal text. */
  readonly user_id: string;
  /** In years. */
  readonly age: number | null;
  /** When the device was first used with its network. */
  readonly activated_at: number | null;
  readonly last_active_at: number;
  /** Identifiers of 16 bytes behind one another. */
  readonly identifiers: Uint8Array;
}

/** Members of one text: no member has a space. */
export function joinMembers(members: readonly string[]): string {
  return members.join(' ');
}

/** The members of such a text. */
export function splitMembers(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

/** A person and the number under which everything derived knows him. */
export type NumberedPerson = Person & { readonly number: number };

/** What the directory is at. */
export interface DirectoryState {
  /** Grows with every change that is complete. */
  readonly version: number;
  /** Unlike that of any other state, of whichever database. */
  readonly mark: string;
  /** How many people there are; each has a number below. */
  readonly people: number;
}

/** The people of the platform, as they are kept: the truth from which an image is made. */
export interface Directory {
  findState(): Promise<DirectoryState>;
  /** People from a number on, by number. */
  list(from: number, limit: number): Promise<NumberedPerson[]>;
  /** The countries of those of these users whose country is known, by id. */
  listCountries(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Takes people in; those whom it has already become what is given. */
  put(people: readonly Person[]): Promise<{ readonly added: number; readonly changed: number }>;
  /** Makes a new state of what was put since the last. */
  settle(mark: string): Promise<DirectoryState>;
  /** How far an import had come that was not finished; 0 when there is none. */
  findProgress(source: string): Promise<number>;
  saveProgress(source: string, done: number): Promise<void>;
  clearProgress(source: string): Promise<void>;
}

/** The people of the platform as files that threads read: `src/features/audiences/directory/identifier-file.ts` says how. */
export interface DirectoryFiles extends DirectoryState {
  /** The folder with the files of this version; it stays while the version is the last or the one before. */
  readonly folder: string;
}

/** Some people of the directory. */
export type Condition =
  | { readonly is: 'word'; readonly word: PersonWord; readonly values: readonly string[] }
  /** Both inclusive. */
  | { readonly is: 'age'; readonly from: number; readonly to: number }
  /** Whose device was activated from one time (inclusive) to another (exclusive). */
  | { readonly is: 'activated'; readonly from: number; readonly to: number }
  | { readonly is: 'listed'; readonly list: PersonList; readonly values: readonly string[] }
  /** These people, by number. */
  | { readonly is: 'people'; readonly numbers: Uint32Array }
  /** Users by id, in ascending order, each once; those whom the directory does not have are nobody. */
  | { readonly is: 'users'; readonly ids: BigUint64Array }
  /** Certain people, and those who follow whom they follow. */
  | { readonly is: 'alike'; readonly to: Condition }
  | { readonly is: 'everybody' | 'nobody' };

/** Who is meant: people of at least one of the first, of one of each further group, and of none of the last. */
export interface PeopleQuery {
  readonly anyOf: readonly Condition[];
  readonly allOf: readonly (readonly Condition[])[];
  readonly noneOf: readonly Condition[];
}

/** The people of the platform. Both environments share it. */
export interface DirectoryIndex {
  /** The image of the directory as it is now; made first when there is none. */
  files(): Promise<DirectoryFiles>;
  /** How many people are meant who were active since a time, in seconds since 1970. */
  count(question: PeopleQuery, activeSince: number): Promise<number>;
  close(): Promise<void>;
}
