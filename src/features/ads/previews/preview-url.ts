import type { SecretBox } from '../../../base/secret-box.ts';
import type { Environment } from '../../../contract/declare/resource.ts';
import { POST_TYPES, type PostType } from '../posts/post-view.ts';

/** Where the page of a preview is. @source creatives 13.4 */
export const PREVIEW_PATH = '/ads-manager/post-preview/index.html';

/** What a preview shows. */
export interface PreviewTarget {
  readonly type: PostType;
  readonly environment: Environment;
  readonly account: string;
  readonly id: string;
  /** The only user who may see it; undefined when whoever has the address may. */
  readonly user?: string;
}

/** What the addresses of previews are bound to. */
const CONTEXT = 'post_previews.address';

/** The path and query of a preview: nobody can make one up. */
export function previewUrl(box: SecretBox, { type, environment, account, id, user = '' }: PreviewTarget): string {
  const sealed = box.seal([type, environment, account, id, user].join(' '), CONTEXT);
  return `${PREVIEW_PATH}?data=${encodeURIComponent(sealed)}`;
}

/** What an address shows; undefined when it was made up. */
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
