import { findLanguageBy } from '../../base/language.ts';

findLanguageBy(() => document.documentElement.lang);

export { fillIn } from '../../base/messages.ts';
