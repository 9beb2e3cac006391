/** Countries of sample people, with their weights and main languages. */
export const COUNTRIES = [
  { code: 'US', language: 'en', weight: 240 },
  { code: 'JP', language: 'ja', weight: 130 },
  { code: 'IN', language: 'hi', weight: 70 },
  { code: 'BR', language: 'pt', weight: 65 },
  { code: 'GB', language: 'en', weight: 60 },
  { code: 'ID', language: 'id', weight: 50 },
  { code: 'TR', language: 'tr', weight: 45 },
  { code: 'MX', language: 'es', weight: 45 },
  { code: 'DE', language: 'de', weight: 40 },
  { code: 'FR', language: 'fr', weight: 35 },
  { code: 'ES', language: 'es', weight: 32 },
  { code: 'CA', language: 'en', weight: 30 },
  { code: 'KR', language: 'ko', weight: 25 },
  { code: 'AR', language: 'es', weight: 22 },
  { code: 'IT', language: 'it', weight: 20 },
  { code: 'AU', language: 'en', weight: 18 },
  { code: 'CO', language: 'es', weight: 15 },
  { code: 'NL', language: 'nl', weight: 12 },
  { code: 'NG', language: 'en', weight: 12 },
  { code: 'ZA', language: 'en', weight: 10 },
  { code: 'CL', language: 'es', weight: 8 },
  { code: 'SE', language: 'sv', weight: 6 },
  { code: 'IE', language: 'en', weight: 5 },
  { code: 'CH', language: 'de', weight: 5 },
] as const;

/** First names of sample people, as in email addresses. */
export const FIRST_NAMES = (
  'ada aiko alex amara anna ben bruno carla chen clara dario diego elena emil erik eva felix finn grace hana hugo ines ' +
  'isa jan jonas julia kai kira lars lena leo lina luca maja marco maria max mia mina nadia nico nina noah nora olga ' +
  'omar oskar paul petra priya rafa rosa ruth sam sara sofia tariq theo tina tom uma vera victor wendy yara yuki zoe'
).split(' ');

/** Last names of sample people. */
export const LAST_NAMES = (
  'abe almeida baker bauer berg bianchi brown carter castro chen costa cruz diaz dubois evans fischer fontaine garcia ' +
  'gomez gupta hall hansen hill ito jones kaya khan kim klein kumar lang lee lopez martin mendes meyer mori moreau ' +
  'nguyen novak okafor olsen park patel perez reed ricci rossi sato schmidt silva singh smith suzuki tanaka torres ' +
  'turner wagner walker weber white wong yilmaz young'
).split(' ');
