/** A value that can be targeted, as the look-ups show it. */
export interface ReferenceEntry {
  readonly targeting_value: string;
  readonly name: string;
  readonly location_type?: string;
  readonly country_code?: string;
  readonly os_type?: string;
  /** Names by language. */
  readonly localized?: Readonly<Record<string, string>>;
}

/** The values whose ids the reference prints. */
const DOCUMENTED: Readonly<Record<string, readonly ReferenceEntry[]>> = {
  LOCATION: [
    {
      targeting_value: '96683cc9126741d1',
      name: 'United States',
      location_type: 'COUNTRIES',
      country_code: 'US',
      localized: { de: 'Vereinigte Staaten' },
    },
    {
      targeting_value: '5122804691e5fecc',
      name: 'San Francisco-Oakland-San Jose CA, US',
      location_type: 'METROS',
      country_code: 'US',
    },
  ],
  PLATFORM: [
    'iOS',
    'Android',
    'BlackBerry phones and tablets',
    'Mobile web on other devices',
    'Desktop and laptop computers',
  ].map((name, index) => ({ targeting_value: String(index), name })),
  DEVICE: [
    { targeting_value: '1q', name: 'iPhone 3GS', os_type: 'iOS' },
    { targeting_value: '1r', name: 'iPhone 4', os_type: 'iOS' },
  ],
  INTEREST: [{ targeting_value: '1001', name: 'Books and literature/Biographies and memoirs' }],
};

/** The value of a look-up, if there is such a one. */
export function referenceEntry(targetingType: string, value: string): ReferenceEntry | undefined {
  return DOCUMENTED[targetingType]?.find((entry) => entry.targeting_value === value);
}

/** Whether there is an IAB category of this id. */
export function isIabCategory(id: string): boolean {
  return /^IAB([1-9]|1\d|2[0-6])(-[1-9]\d?)?$/.test(id);
}
