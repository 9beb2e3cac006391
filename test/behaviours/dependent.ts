const CTAS = ['second', 'third', 'fourth'].flatMap((each) => [`${each}_cta`, `${each}_cta_post`]);

/** What may be unset, unless others that are given need it. */
export const NEEDED: Readonly<Record<string, readonly string[]>> = {
  // Those that are not given are not repeated.
  stats_jobs: ['segmentation_type', 'country', 'platform'],
  poll_cards: ['third_choice'],
  video_conversation_cards: CTAS,
  image_conversation_cards: CTAS,
};

/** What is missing besides when nothing is given. */
export const MISSING_BESIDES: Readonly<Record<string, readonly string[]>> = {
  video_conversation_cards: ['title'],
  image_conversation_cards: ['title'],
};

/** What cannot be made twice of the same values. */
export const TAKEN_ONCE: readonly string[] = ['custom_audiences'];
