import { boundedCache } from '../../../base/bounded-cache.ts';

// Callers choose the language, so the cache is small.
const cache = boundedCache<string, Intl.DisplayNames>(16);

/** Returns the name of a country (ISO 3166-1 alpha-2) in a language; undefined if either is unknown. */
export function countryName(code: string, lang: string): string | undefined {
  return displayNames('region', lang)?.of(code);
}

/** Returns the name of a language (BCP 47) in a language; undefined if either is unknown. */
export function languageName(code: string, lang: string): string | undefined {
  return displayNames('language', lang)?.of(code);
}

function displayNames(type: 'region' | 'language', lang: string): Intl.DisplayNames | undefined {
  const key = `${type} ${lang}`;
  const known = cache.get(key);
  if (known || !isKnownLanguage(lang)) return known;
  const names = new Intl.DisplayNames([lang], { type, fallback: 'none' });
  cache.set(key, names);
  return names;
}

/** Tests whether Intl has names in a language; false for malformed language tags. */
function isKnownLanguage(lang: string): boolean {
  try {
    return Intl.DisplayNames.supportedLocalesOf([lang]).length > 0;
  } catch {
    return false;
  }
}

/** Translations of platform names that are not proper names. */
const PLATFORM_NAMES: Readonly<Record<string, readonly [phones: string, web: string, computers: string]>> = {
  de: ['BlackBerry-Telefone und -Tablets', 'Mobiles Web auf anderen Geräten', 'Desktop-Computer und Laptops'],
  es: ['Teléfonos y tabletas BlackBerry', 'Web móvil en otros dispositivos', 'Ordenadores de sobremesa y portátiles'],
  fr: ['Téléphones et tablettes BlackBerry', 'Web mobile sur d’autres appareils', 'Ordinateurs de bureau et portables'],
  it: ['Telefoni e tablet BlackBerry', 'Web mobile su altri dispositivi', 'Computer desktop e portatili'],
  ja: [
    'BlackBerryのスマートフォンとタブレット',
    'その他の端末のモバイルウェブ',
    'デスクトップパソコンとノートパソコン',
  ],
  nl: ['BlackBerry-telefoons en -tablets', 'Mobiel web op andere apparaten', 'Desktops en laptops'],
  pt: ['Celulares e tablets BlackBerry', 'Web móvel em outros dispositivos', 'Computadores de mesa e notebooks'],
};

const TRANSLATED_PLATFORMS = [
  'BlackBerry phones and tablets',
  'Mobile web on other devices',
  'Desktop and laptop computers',
];

/** Translates the English name of a platform; proper names stay as they are. */
export function platformName(name: string, lang: string): string | undefined {
  if (!isKnownLanguage(lang)) return undefined;
  const index = TRANSLATED_PLATFORMS.indexOf(name);
  const spoken = new Intl.Locale(lang).language;
  return index < 0 || spoken === 'en' ? name : PLATFORM_NAMES[spoken]?.[index];
}
