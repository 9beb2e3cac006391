/** Input of an operator (a file, an option) is invalid. The message says what is wrong in one sentence. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}
