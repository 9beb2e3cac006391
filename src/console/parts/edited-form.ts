import { type Html, html } from '../../base/html.ts';
import type { PageRequest } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { texts } from '../../texts/texts.ts';
import { type EntityField, entityFields, postForm } from './entity-form.ts';
import type { Problems } from './form-problems.ts';

/** The fields of a form as they stand in it, by name. */
export type FieldTexts = Readonly<Record<string, string>>;

/** What became of a form that several people may have open. */
export interface Edited {
  /** The fields that its user has changed since it was shown. */
  readonly changed: ReadonlySet<string>;
  /** Those that somebody else has changed to something else meanwhile, with what is stored now. */
  readonly conflicts: ReadonlyMap<string, string>;
}

const words = texts.campaign;

/**
 * Compares what a form showed, what was entered, and what is stored now: only what its user has changed is saved, and
 * nothing that somebody else has changed is replaced unseen.
 * @source decision 1001
 */
export function edited(request: PageRequest, entered: FieldTexts, stored: FieldTexts): Edited {
  const shown = shownIn(request) ?? stored;
  const changed = Object.keys(entered).filter((name) => entered[name] !== (shown[name] ?? stored[name]));
  const conflicts = changed
    .filter((name) => (shown[name] ?? stored[name]) !== stored[name] && entered[name] !== stored[name])
    .map((name) => [name, words.now(stored[name] || words.nothing)] as const);
  return { changed: new Set(changed), conflicts: new Map(conflicts) };
}

/** What is said of fields that somebody else has changed meanwhile, with what is stored now at each. */
export function conflictProblems({ conflicts }: Edited): Problems {
  return new Map([['', words.conflict], ...conflicts]);
}

const isConflict = (problems: Problems): boolean => problems.get('') === words.conflict;

/** The status of a page with a form that was refused, or not. */
export function statusOf(problems: Problems): number {
  return problems.size === 0 ? 200 : isConflict(problems) ? 409 : 400;
}

/** What a form that several people may have open consists of. */
export interface EditForm {
  readonly fields: readonly EntityField[];
  readonly stored: FieldTexts;
  /** What stands in the fields. */
  readonly entered: FieldTexts;
  readonly problems: Problems;
}

/** A form that remembers what it shows. */
export function editForm(request: PageRequest, { fields, stored, entered, problems }: EditForm): Html {
  const shown = shownField(request, stored, isConflict(problems));
  return html`${isConflict(problems) ? html`<p class="soft">${words.conflictAbout}</p>` : ''}
${postForm(request, 'save', html`${hiddenFields(shown)}${entityFields(fields, entered, problems)}`, words.save)}`;
}

/**
 * The hidden field with what a form shows. That of before stays until what somebody else has changed was shown, however
 * often the form is refused meanwhile.
 */
function shownField(request: PageRequest, stored: FieldTexts, isConflict: boolean): { readonly shown: string } {
  const before = isConflict ? undefined : shownIn(request);
  return { shown: JSON.stringify(before ?? stored) };
}

/** What a sent form showed; undefined where none was sent, or something else than a form of the console has. */
function shownIn({ method, parameter }: PageRequest): FieldTexts | undefined {
  const text = method === 'POST' && parameter('act') === 'save' ? parameter('shown') : undefined;
  if (text === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    const isTexts =
      typeof read === 'object' && read !== null && Object.values(read).every((v) => typeof v === 'string');
    return isTexts ? (read as FieldTexts) : undefined;
  } catch {
    return undefined;
  }
}
