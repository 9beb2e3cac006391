/** Whether a caller takes JSON and not HTML: the first is named and the second is not. @source authentication gaps 6.5 */
export function acceptsOnlyJson(accept = ''): boolean {
  return /application\/json/i.test(accept) && !/text\/html/i.test(accept);
}

/** Whether a caller names HTML among what it takes, as browsers do; `*` alone is said by programs. */
export function acceptsHtml(accept = ''): boolean {
  return /text\/html/i.test(accept);
}
