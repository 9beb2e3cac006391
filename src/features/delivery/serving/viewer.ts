import type { ViewContext } from '../../../contract/services/serving.ts';
import {
  type NumberedPerson,
  PERSON_LISTS,
  PERSON_WORDS,
  type PersonList,
  type PersonWord,
  splitMembers,
} from '../../../contract/store/directory.ts';

/** The known attributes of a viewer. */
export interface Viewer {
  readonly words: Readonly<Record<PersonWord, string | null>>;
  readonly age: number | null;
  readonly activated_at: number | null;
  readonly lists: Readonly<Record<PersonList, ReadonlySet<string>>>;
  /** The number of the person in the directory; undefined if they are not in it. */
  readonly number: number | undefined;
  /** The id of the user in the directory. */
  readonly user: bigint | undefined;
  /** In lower case. */
  readonly keywords: readonly string[];
  /** The viewer without the data of the directory, for ads that must not reveal it. */
  readonly unknown?: Viewer;
}

const NONE: ReadonlySet<string> = new Set();

/** Merges the person of the directory, if there is one, with the publisher's context. @source decision 977 */
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
