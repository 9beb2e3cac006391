import type { BuiltFiles } from './derived-files.ts';

/** The single-valued attributes of a person. Their order is the order of the columns of a directory image. */
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

/** A single-valued attribute; `country` is ISO 3166-1 alpha-2, all others are targeting values. */
export type PersonWord = (typeof PERSON_WORDS)[number];

/**
 * The list attributes of a person: targeting values for interests and store categories; ids of followed users; for
 * engagements their kinds, and what was engaged with as `user:ID` or `campaign:ID`.
 */
export const PERSON_LISTS = ['interests', 'follows', 'store_categories', 'engagements'] as const;

/** A list attribute of a person. */
export type PersonList = (typeof PERSON_LISTS)[number];

/** A user of the platform, as stored in the directory. Times are whole seconds since 1970. */
export interface Person extends Readonly<Record<PersonWord, string | null>>, Readonly<Record<PersonList, string>> {
  /** Decimal text. */
  readonly user_id: string;
  /** In years. */
  readonly age: number | null;
  /** When the device was first used with its network. */
  readonly activated_at: number | null;
  readonly last_active_at: number;
  /** Concatenated identifiers of 16 bytes. */
  readonly identifiers: Uint8Array;
}

/** Joins the members of a list attribute into one text; no member contains a space. */
export function joinMembers(members: readonly string[]): string {
  return members.join(' ');
}

/** Splits the text of a list attribute into its members. */
export function splitMembers(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

/** A person and their number in everything derived from the directory. */
export type NumberedPerson = Person & { readonly number: number };

/** The state of the directory. */
export interface DirectoryState {
  /** Grows with every completed change. */
  readonly version: number;
  /** Unique among all states of all databases. */
  readonly mark: string;
  /** How many people there are; each has a lower number. */
  readonly people: number;
}

/** The directory as files that threads read; see `src/features/audiences/directory/identifier-file.ts`. */
export interface DirectoryFiles extends DirectoryState {
  /** The folder with the files of this version; it exists while the version is the newest or the one before. */
  readonly folder: string;
}

/** An image that is written while people are stored. */
export interface NewImage {
  /** Adds people who have been stored. */
  add(people: readonly NumberedPerson[]): Promise<void>;
  /** Whether it has become the image of a state: it has not if others stored people, or changed some, meanwhile. */
  finish(state: DirectoryState): Promise<boolean>;
  /** Removes unfinished files. */
  discard(): Promise<void>;
}

/** A condition that selects people of the directory. */
export type Condition =
  | { readonly is: 'word'; readonly word: PersonWord; readonly values: readonly string[] }
  /** Both bounds are inclusive. */
  | { readonly is: 'age'; readonly from: number; readonly to: number }
  /** Device activation time: `from` inclusive, `to` exclusive. */
  | { readonly is: 'activated'; readonly from: number; readonly to: number }
  | { readonly is: 'listed'; readonly list: PersonList; readonly values: readonly string[] }
  /** People by number. */
  | { readonly is: 'people'; readonly numbers: Uint32Array }
  /** Users by id, ascending and distinct; unknown ids match no user. */
  | { readonly is: 'users'; readonly ids: BigUint64Array }
  /** The people of a condition, and everybody who follows a user that they follow. */
  | { readonly is: 'alike'; readonly to: Condition }
  | { readonly is: 'everybody' | 'nobody' };

/** Selects people who meet at least one condition of `anyOf`, one of each group of `allOf`, and none of `noneOf`. */
export interface PeopleQuery {
  readonly anyOf: readonly Condition[];
  readonly allOf: readonly (readonly Condition[])[];
  readonly noneOf: readonly Condition[];
}

/** People counted by their attributes. */
export interface PeopleHistogram {
  readonly people: number;
  /** By attribute: how many people have each value; those without one are left out. */
  readonly words: Readonly<Partial<Record<PersonWord, Readonly<Record<string, number>>>>>;
  /** How many people have each age in years; place 0 is an unknown age. */
  readonly ages: readonly number[];
}

/** The people of the platform, shared by both environments. */
export interface DirectoryIndex {
  /** The current image of the directory; created first when there is none. */
  files(): Promise<DirectoryFiles>;
  /** Begins an image of the people who are going to be put into an empty directory; `version` is that of its next state. */
  begin(version: number): NewImage;
  /**
   * Builds the image of a state that is about to be settled, and stores it; recorded with the state, it is found. One that
   * was begun is finished if it is that of the state; otherwise people are read from the database.
   */
  build(state: DirectoryState, begun?: NewImage): Promise<BuiltFiles>;
  /** How many matching people were active since a time, in seconds since 1970. */
  count(question: PeopleQuery, activeSince: number): Promise<number>;
  /**
   * The people who match at least one of the questions and were active since a time, each once, by their age and the
   * given attributes; and the mark of the state in which they were counted.
   */
  histogram(
    questions: readonly PeopleQuery[],
    activeSince: number,
    words: readonly PersonWord[],
  ): Promise<PeopleHistogram & { readonly mark: string }>;
  /**
   * The users who have identifiers, by identifier: the ids of users in decimal. Unmatched identifiers are absent.
   * @param identifiers 32 hexadecimal digits each: the first 15 bytes of a SHA-256, then the code of its kind
   */
  findUsers(identifiers: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  close(): Promise<void>;
}
