import {
  type NumberedPerson,
  PERSON_LISTS,
  PERSON_WORDS,
  type PersonList,
  type PersonWord,
  splitMembers,
} from '../../../contract/store/directory.ts';

/** The publisher's information about a viewer and page. */
export interface ViewContext {
  readonly words: Readonly<Partial<Record<PersonWord, string>>>;
  readonly age: number | null;
  readonly interests: readonly string[];
  /** The topics of the page. */
  readonly keywords: readonly string[];
}

/** The known attributes of a viewer. */
export interface Viewer {
  readonly words: Readonly<Record<PersonWord, string | null>>;
  readonly age: number | null;
  readonly activated_at: number | null;
  readonly lists: Readonly<Record<PersonList, ReadonlySet<string>>>;
  /** Their number in the directory, and the id of the user; undefined for people who are not in it. */
  readonly number: number | undefined;
  readonly user: bigint | undefined;
  /** In lower case. */
  readonly keywords: readonly string[];
  /** For people of the directory: the same viewer by the publisher's information alone, where more must not be revealed. */
  readonly unknown?: Viewer;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The viewer of a request: a person of the directory, if there is one, completed by the context; otherwise the context
 * alone. @source decision 977
 */
export function viewerOf(person: NumberedPerson | undefined, context: ViewContext): Viewer {
  const words = Object.fromEntries(
    PERSON_WORDS.map((word) => [word, person?.[word] ?? context.words[word] ?? null]),
  ) as Record<PersonWord, string | null>;
  const lists = Object.fromEntries(
    PERSON_LISTS.map((list) => [list, person && person[list] !== '' ? new Set(splitMembers(person[list])) : NONE]),
  ) as Record<PersonList, ReadonlySet<string>>;
  return {
    words,
    age: person?.age ?? context.age,
    activated_at: person?.activated_at ?? null,
    lists: person || context.interests.length === 0 ? lists : { ...lists, interests: new Set(context.interests) },
    number: person?.number,
    user: person && BigInt(person.user_id),
    keywords: context.keywords.map((keyword) => keyword.toLowerCase()),
    ...(person && { unknown: viewerOf(undefined, context) }),
  };
}
