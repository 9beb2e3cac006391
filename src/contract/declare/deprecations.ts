/**
 * Something that is still taken and will not be for ever. Replies say so in headers, from the day on which it was decided;
 * what warns people comes only when the time has come.
 * @source activity gaps 21.3; RFC 9745; RFC 8594
 */
export interface Deprecation {
  /** Unix seconds from which it is deprecated; may lie in the future. */
  readonly from_s: number;
  /** The path that tells what to do, or what takes its place. */
  readonly path: string;
  readonly rel: 'deprecation' | 'successor-version';
  /** What `x-api-warn` says from then on. */
  readonly warning: string;
}
