/** Invalid input from an operator (a file, an option). The message is one sentence. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}
