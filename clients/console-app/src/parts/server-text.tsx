import { language } from '../texts/texts.ts';
import { Instant } from './instant.tsx';
import { serverWords } from './server-words.ts';

/** A sentence of the server, in the user's language, or marked as English; `hasTimes` shows its instants as others are. */
export function ServerText({ text, hasTimes = false }: { text: string; hasTimes?: boolean }) {
  const words = serverWords(text);
  const shown = words ?? text;
  return (
    <span lang={words === null && language.value !== 'en' ? 'en' : undefined}>
      {hasTimes
        ? shown.split(INSTANT).map((part, at) => (at % 2 === 1 ? <Instant at={part} /> : part))
        : shown}
    </span>
  );
}

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)/;
