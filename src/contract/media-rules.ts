import type { Environment } from './resource.ts';

/** What declarations may ask about media that the database does not know. */
export interface MediaRules {
  /** The absolute address at which an environment serves what lies at a path below the media address. */
  url(environment: Environment, path: string): string;
  /** Whether well-formed keys of media that nobody uploaded are taken. @source creatives 2.3 */
  isLenient(environment: Environment): boolean;
}
