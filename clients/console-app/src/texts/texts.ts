import { languages } from '../../../ui/texts/languages.ts';
import { en } from './en.ts';

/** `texts.value.assets.title` in a component is in the user's language, and follows when another is chosen. */
export const { texts, language, codes, choose, suggested } = languages(
  { code: 'en', texts: en },
  { de: () => import('./de.ts').then(({ de }) => de) },
);

/** The texts that every language has. */
export type { Texts } from './en.ts';
