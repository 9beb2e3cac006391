import type { SecretBox } from '../../../base/secret-box.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import { POST_TYPES, type PostType } from '../posts/post-view.ts';

/** Path of the preview page. @source creatives 13.4 */
export const PREVIEW_PATH = '/ads-manager/post-preview/index.html';

/** The post of a preview, and its audience. */
export interface PreviewTarget {
  readonly type: PostType;
  readonly environment: Environment;
  readonly account: string;
  readonly id: string;
  /** The only user with access; by default anybody with the URL has access. */
  readonly user?: string;
}

/** Binds sealed preview URLs to their purpose. */
const CONTEXT = 'post_previews.address';

/** Returns path and query of a preview, sealed against forgery. */
export function previewUrl(box: SecretBox, { type, environment, account, id, user = '' }: PreviewTarget): string {
  const sealed = box.seal([type, environment, account, id, user].join(' '), CONTEXT);
  return `${PREVIEW_PATH}?data=${encodeURIComponent(sealed)}`;
}

/** Opens the sealed query of a preview URL; undefined if it was forged. */
export function openPreview(box: SecretBox, sealed: string): PreviewTarget | undefined {
  let plain: string;
  try {
    plain = box.open(sealed, CONTEXT);
  } catch {
    return undefined;
  }
  const [type, environment, account = '', id = '', user] = plain.split(' ');
  const known = POST_TYPES.find((each) => each === type);
  if (!known) return undefined;
  const world = environment === 'production' ? 'production' : 'sandbox';
  return { type: known, environment: world, account, id, ...(user ? { user } : {}) };
}
