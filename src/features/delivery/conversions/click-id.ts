import { hash } from 'node:crypto';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { DeliveryTouch } from '../../../storage/tables/conversions.ts';
import { CLICK_WINDOWS } from '../../ads/web-event-tags.ts';

/** Time to live of click ids: the longest click window of tags, in seconds. @source decision 994 */
export const CLICK_ID_TTL_S = Math.max(...CLICK_WINDOWS) * 86_400;
/** The query parameter of landing URLs. */
const CLICK_ID_PARAMETER = 'click_id';
/** Maximum length of a click id. */
export const CLICK_ID_MAX = 1024;

/** A click on an ad. */
export type AdClick = DeliveryTouch & {
  readonly kind: 'click';
  /** Identifies the decision, and so is the same for repeated clicks; 16 characters. */
  readonly click: string;
  /** Whether it is only valid once it has been counted; false in click ids of older servers. @source decision 1123 */
  readonly mustCount?: boolean;
};

/** Encrypts a click into a URL-safe text. */
export function sealClickId(box: SecretBox, environment: Environment, click: AdClick): string {
  const {
    account_id,
    line_item_id,
    creative_id,
    placement,
    person,
    platform,
    touched_at,
    click: name,
    mustCount,
  } = click;
  const at_s = instantMs(touched_at) / 1000;
  const parts = [account_id, line_item_id, creative_id, placement, person, platform, at_s, name, mustCount ? 1 : 0];
  return box.seal(JSON.stringify(parts), contextOf(environment));
}

/** Decrypts a click id; undefined if it is invalid, expired or of another environment. */
export function openClickId(
  box: SecretBox,
  environment: Environment,
  sealed: string,
  now: string,
): AdClick | undefined {
  let plain: string;
  try {
    plain = box.open(sealed, contextOf(environment));
  } catch {
    return undefined;
  }
  type Parts = [
    ...texts: [string, string, string, string, string, string],
    at_s: number,
    click?: string,
    counts?: 0 | 1,
  ];
  const [account_id, line_item_id, creative_id, placement, person, platform, at_s, name, counts] = JSON.parse(
    plain,
  ) as Parts;
  if (instantMs(now) / 1000 - at_s > CLICK_ID_TTL_S) return undefined;
  const touched_at = formatInstant(at_s * 1000);
  // Click ids of older servers have no name.
  const click = name ?? hash('sha256', sealed, 'base64url').slice(0, 16);
  const about = { account_id, person, line_item_id, creative_id, placement, platform };
  return { ...about, kind: 'click', touched_at, click, mustCount: counts === 1 };
}

/**
 * Appends a click id to the query of a URL, in place of an existing one. The rest is unchanged, because the page may depend on
 * it.
 */
export function withClickId(url: string, click_id: string): string {
  const [, page, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url)!;
  const others = (query ? query.split('&') : []).filter((each) => each.split('=', 1)[0] !== CLICK_ID_PARAMETER);
  return `${page}?${[...others, `${CLICK_ID_PARAMETER}=${click_id}`].join('&')}${fragment ?? ''}`;
}

/** Binds click ids to their purpose and environment. */
function contextOf(environment: Environment): string {
  return `conversions.click_id:${environment}`;
}
