/** Content categories and the IAB categories that belong to each. */
export const CONTENT_CATEGORIES: readonly { id: string; name: string; iab_categories: readonly string[] }[] = [
  { id: 'ru', name: 'Automotive (Cars, Trucks, Racing)', iab_categories: ['IAB2'] },
  { id: 'sm', name: 'Entertainment & Pop Culture', iab_categories: ['IAB1-1', 'IAB1-2', 'IAB1-3', 'IAB1-5'] },
  { id: 'sn', name: 'Financial & Business News', iab_categories: ['IAB3', 'IAB13', 'IAB21'] },
];

/** Collections of publishers, and where each exists. */
export const CURATED_CATEGORIES: readonly { id: string; name: string; country_codes: readonly string[] }[] = [
  { id: '9ddk3gesia6o', name: 'Soccer', country_codes: ['US'] },
];
