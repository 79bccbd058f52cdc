import { language } from '../texts/texts.ts';
import { serverWords } from './server-words.ts';

/** A sentence of the server, in the user's language, or marked as English. */
export function ServerText({ text }: { text: string }) {
  const words = serverWords(text);
  return <span lang={words === null && language.value !== 'en' ? 'en' : undefined}>{words ?? text}</span>;
}
