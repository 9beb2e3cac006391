/** Invalid input from an operator (a file, an option). The message is one sentence. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** All errors of a file, one sentence each. */
export class InputErrors extends InputError {
  override readonly name = 'InputErrors';
  readonly errors: readonly string[];
  constructor(errors: readonly string[]) {
    super(errors.join('; '));
    this.errors = errors;
  }
}
