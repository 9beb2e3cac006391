import { type Html, html, joinHtml } from '../../../base/html.ts';
import type { PageRequest } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { type FieldErrors, formField } from '../../../markup/form-fields.ts';
import { texts } from '../../../texts/texts.ts';
import { PASSWORD_LENGTH_MAX, type PasswordRules, passwordError } from '../../platform/password-rules.ts';

const words = texts.settings.password;

/** The inputs for a new password and its repetition. */
export function newPasswordFields(rules: PasswordRules, errors: FieldErrors): Html {
  const hint = words.newHint(rules.password_length_min);
  const attributes = html`required autocomplete="new-password" minlength="${rules.password_length_min}" maxlength="${PASSWORD_LENGTH_MAX * 2}"`;
  const boxes = [
    { member: 'new_password', label: words.new, hint, type: 'password', attributes },
    { member: 'new_password_again', label: words.newAgain, type: 'password', attributes },
  ] as const;
  return joinHtml(
    boxes.map((box) => formField(box, '', errors[box.member])),
    '\n',
  );
}

/** Reads the new password of a form, with its validation errors. */
export function readNewPassword(
  { parameter }: PageRequest,
  user: User,
  rules: PasswordRules,
): { readonly password: string; readonly errors: FieldErrors } {
  const password = parameter('new_password') ?? '';
  const wrong = passwordError(password, user, rules);
  if (wrong !== undefined) return { password, errors: { new_password: wrong } };
  const isSame = password === parameter('new_password_again');
  return { password, errors: isSame ? {} : { new_password_again: words.mismatch } };
}
