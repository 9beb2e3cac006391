import { type Html, html } from '../../base/html.ts';
import type { PageRequest } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { texts } from '../../texts/texts.ts';
import { type EntityField, entityFields, postForm } from './entity-form.ts';
import { isConflict, type Problems } from './form-problems.ts';

/** The values of the fields of a form, by name. */
export type FieldValues = Readonly<Record<string, string>>;

/** The changes in a form that several users may edit at once. */
export interface FormChanges {
  /** The fields changed by this user. */
  readonly changed: ReadonlySet<string>;
  /** The fields changed differently by another user meanwhile, with the stored values. */
  readonly conflicts: ReadonlyMap<string, string>;
}

const words = texts.campaign;

/**
 * Compares the initial, entered and stored values of a form: only the changes of its user are saved, and none of them
 * overwrites the change of another user unseen.
 * @source decision 1001
 */
export function compareEdits(request: PageRequest, entered: FieldValues, stored: FieldValues): FormChanges {
  const before = { ...stored, ...initialValues(request) };
  const changed = Object.keys(entered).filter((name) => entered[name] !== before[name]);
  const conflicts = changed
    .filter((name) => before[name] !== stored[name] && entered[name] !== stored[name])
    .map((name) => [name, words.now(stored[name] || words.nothing)] as const);
  return { changed: new Set(changed), conflicts: new Map(conflicts) };
}

/** The problems of fields changed by another user meanwhile. */
export function conflictProblems({ conflicts }: FormChanges): Problems {
  return new Map([['', words.conflict], ...conflicts]);
}

/** A form that several users may edit at once. */
export interface EditForm {
  readonly fields: readonly EntityField[];
  readonly stored: FieldValues;
  readonly entered: FieldValues;
  readonly problems: Problems;
}

/** Renders the form with its initial values in a hidden field. */
export function editForm(request: PageRequest, { fields, stored, entered, problems }: EditForm): Html {
  const hasConflict = isConflict(problems);
  // The initial values stay until the changes of others have been displayed, however often the form is refused.
  const shown = JSON.stringify((hasConflict ? undefined : initialValues(request)) ?? stored);
  return html`${hasConflict ? html`<p class="soft">${words.conflictAbout}</p>` : ''}
${postForm(request, 'save', html`${hiddenFields({ shown })}${entityFields(fields, entered, problems)}`, words.save)}`;
}

/** The initial values of the submitted form; undefined without a form. */
function initialValues({ method, parameter }: PageRequest): FieldValues | undefined {
  const text = method === 'POST' && parameter('act') === 'save' ? parameter('shown') : undefined;
  if (text === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    const isValues =
      typeof read === 'object' && read !== null && Object.values(read).every((v) => typeof v === 'string');
    return isValues ? (read as FieldValues) : undefined;
  } catch {
    return undefined;
  }
}
