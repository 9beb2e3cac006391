import { LANGUAGES, type Language } from '../base/language.ts';
import { choice, text } from './kinds.ts';

const PICTURE = 'a path of an .svg or .png file';
const pictureAt = (path: string) => (/\.(svg|png)$/i.test(path) ? path : undefined);

/** Settings of the name and the icons on pages. */
export const brandingSettings = {
  service_name: text('The name of the service, on every page and in authenticator apps.', {
    default: 'Barker',
    expected: '1 to 60 characters on one line',
    parse: (name) => (/^(?=.*\S)[^\p{C}\u2028\u2029]{1,60}$/u.test(name) ? name.trim() : undefined),
  }),
  page_language: choice(
    'The language of pages for visitors whose browsers ask for no language that pages exist in.',
    Object.keys(LANGUAGES) as Language[],
    'en',
  ),
  service_logo: text('A logo shown on every page; without one, pages show the name alone.', {
    default: '',
    expected: PICTURE,
    parse: pictureAt,
  }),
  service_favicon: text('The icon in browser tabs; without one, a neutral sign.', {
    default: '',
    expected: PICTURE,
    parse: pictureAt,
  }),
};
