/**
 * A deprecated feature that still works. Replies announce it in headers as soon as it was decided; the warning for
 * people appears only once it is deprecated.
 * @source activity 21.3; RFC 9745; RFC 8594
 */
export interface Deprecation {
  /** Unix seconds from which it is deprecated; may be in the future. */
  readonly from_s: number;
  /** Path of the page with instructions, or of the successor. */
  readonly path: string;
  readonly rel: 'deprecation' | 'successor-version';
  /** The value of `x-api-warn` from then on. */
  readonly warning: string;
}
