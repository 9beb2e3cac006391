/** A stored component of a card, with the members of its type. */
export interface Component {
  readonly type: 'MEDIA' | 'SWIPEABLE_MEDIA' | 'DETAILS' | 'BUTTON';
  readonly media_key?: string;
  readonly media_keys?: readonly string[];
  readonly title?: string;
  readonly label?: { readonly value: string };
  readonly destination?: Destination;
}

/** A destination of a card. */
export interface Destination {
  readonly type: 'WEBSITE' | 'APP';
  readonly url?: string;
  readonly country_code?: string;
  readonly android_store_app_id?: string;
  readonly ios_store_identifier?: string;
  readonly android_deep_link?: string;
  readonly ios_deep_link?: string;
}

/** The structure of a card: components or slides. */
export interface CardStructure {
  readonly components: readonly Component[] | null;
  readonly slides: readonly (readonly Component[])[] | null;
}

/** Parses the structure of a stored card. */
export function parseStructure(row: {
  readonly components: string | null;
  readonly slides: string | null;
}): CardStructure {
  const read = <T>(stored: string | null): T | null => (stored === null ? null : (JSON.parse(stored) as T));
  return { components: read(row.components), slides: read(row.slides) };
}

/** A media key in a card structure, with its path. */
interface MediaReference {
  readonly key: string;
  readonly parameter: string;
}

/** Returns every media key of a card structure, in order. */
export function mediaReferences({ components, slides }: CardStructure): MediaReference[] {
  const own = (components ?? []).flatMap((each, at) => inComponent(each, `components[${at}]`));
  const slid = (slides ?? []).flatMap((slide, at) =>
    slide.flatMap((each, place) => inComponent(each, `slides[${at}][${place}]`)),
  );
  return [...own, ...slid];
}

function inComponent({ media_key, media_keys }: Component, path: string): MediaReference[] {
  if (media_keys) return media_keys.map((key, at) => ({ key, parameter: `${path}.media_keys[${at}]` }));
  return media_key === undefined ? [] : [{ key: media_key, parameter: `${path}.media_key` }];
}
