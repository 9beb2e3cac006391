import { hash } from 'node:crypto';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { DeliveryTouch } from '../../../storage/tables/conversions.ts';
import { CLICK_WINDOWS } from '../../ads/web-event-tags.ts';

/** How long a click id is valid: as long as any tag attributes conversions to clicks, in seconds. @source decision 994 */
export const CLICK_ID_TTL_S = Math.max(...CLICK_WINDOWS) * 86_400;
/** The parameter of landing URLs with the click id. */
const CLICK_ID_PARAMETER = 'click_id';
/** The most characters of a click id. */
export const CLICK_ID_MAX = 1024;

/** A click on an ad. */
export type AdClick = DeliveryTouch & {
  readonly kind: 'click';
  /** The same for all clicks that followed one decision; 16 characters. */
  readonly click: string;
  /** Whether it is one only if it has counted; click ids of older servers do not say so. @source decision 1123 */
  readonly mustCount?: boolean;
};

/** Seals a click into an unforgeable, unreadable text for URLs: letters, digits, and `.`, `_` and `-`. */
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

/** The click of a click id; undefined when it was forged, made in another environment, or has expired. */
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
 * The URL that a click leads to, with its click id at the end of the query. An older click id in the URL is left out; all
 * else stays byte for byte, because the page may be particular about it.
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
