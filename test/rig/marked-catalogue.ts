import { texts as english } from '../../src/texts/texts.ts';
import { marked } from './marked-texts.ts';

/** Stands in for the catalogue of texts: see `markTexts`. */
export const texts = marked(english);
