/** Whether an `accept` header names JSON but not HTML. @source authentication 6.5 */
export function acceptsOnlyJson(accept = ''): boolean {
  return /application\/json/i.test(accept) && !/text\/html/i.test(accept);
}

/**
 * Whether an `accept` header names HTML, as browsers do; `*` alone does not count, because programs send it.
 * @source decision 542
 */
export function acceptsHtml(accept = ''): boolean {
  return /text\/html/i.test(accept);
}
