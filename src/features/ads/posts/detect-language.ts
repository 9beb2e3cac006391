/** Scripts that identify a language. */
const SCRIPTS: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
];

/** Frequent words that distinguish a language from the others. */
const COMMON_WORDS: Readonly<Record<string, readonly string[]>> = {
  en: words('the and of to is are was our your you we on at for with through until from this that it be have not now'),
  de: words('der die das und ist sind nicht mit für auf ein eine wir ihr sie von zu im dem den auch bei jetzt'),
  fr: words('le les des et est sont pas avec pour sur une nous vous du au aux que qui dans chez ce cette'),
  es: words('el los las y es son con por para una nosotros del al que en como más este esta hoy ya'),
  it: words('il gli e è sono non con per una noi del della al che di nel questo questa oggi più'),
  pt: words('o os as e é são não com por para uma nós do da ao que em no na mais este esta hoje'),
  nl: words('de het een en is zijn niet met voor op wij jullie van naar bij ook dit dat nu'),
  tr: words('ve bir bu için ile çok daha ne var yok biz siz gibi kadar şimdi'),
};

function words(text: string): string[] {
  return text.split(' ');
}

/**
 * Detects the language code of a text: by script if that identifies one, otherwise by the frequent words of a few
 * languages; `und` if undetermined. URLs, mentions, hashtags and symbols are ignored.
 * @source decision 233 and 670
 */
export function detectLanguage(text: string): string {
  const plain = text.replace(/https?:\/\/\S+|[@#$\uff20\uff03][\p{L}\p{M}\p{N}_]+/giu, ' ');
  const letters = plain.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return 'und';
  for (const [language, script] of SCRIPTS) {
    const own = plain.match(script)?.length ?? 0;
    // Japanese mixes scripts: a few kana are enough.
    if (own * (language === 'ja' ? 10 : 2) > letters) return language;
  }
  const words = plain.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = Object.entries(COMMON_WORDS).map(
    ([language, small]) => [language, words.filter((word) => small.includes(word)).length] as const,
  );
  const [best, next] = scores.sort((a, b) => b[1] - a[1]);
  return best && best[1] > (next?.[1] ?? 0) ? best[0] : 'und';
}
