/**
 * Names that the platform itself knows in many languages. What it cannot name, or not in the language asked for, is
 * undefined.
 */

type Kind = 'region' | 'language';

// A caller picks the language, so only the last few are kept.
const KEPT_MAX = 16;
const kept = new Map<string, Intl.DisplayNames | undefined>();

/** The name of a country (ISO 3166-1 alpha-2) in a language. */
export function nameOfCountry(code: string, lang: string): string | undefined {
  return namesIn('region', lang)?.of(code);
}

/** The name of a language (BCP 47) in a language. */
export function nameOfLanguage(code: string, lang: string): string | undefined {
  return namesIn('language', lang)?.of(code);
}

function namesIn(type: Kind, lang: string): Intl.DisplayNames | undefined {
  const key = `${type} ${lang}`;
  if (kept.has(key)) return kept.get(key);
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!);
  const names = isSpoken(lang) ? new Intl.DisplayNames([lang], { type, fallback: 'none' }) : undefined;
  kept.set(key, names);
  return names;
}

/** Whether the platform has names in a language; a text that is no language tag at all is none. */
function isSpoken(lang: string): boolean {
  try {
    return Intl.DisplayNames.supportedLocalesOf([lang]).length > 0;
  } catch {
    return false;
  }
}
