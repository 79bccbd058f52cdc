import { expect } from 'chai';
import { de as consoleTexts } from '../../../clients/console-app/src/texts/de.ts';
import { en as consoleEnglish } from '../../../clients/console-app/src/texts/en.ts';
import { de as appTexts } from '../../../clients/handheld-app/src/texts/de.ts';
import { en as appEnglish } from '../../../clients/handheld-app/src/texts/en.ts';

/** What console and app call the same thing by, and what they call nobody and nothing. */
const AVOIDED: Readonly<Record<string, RegExp>> = {
  Etikett: /\b(Tags|Tag-|Transponder|Label)\b/,
  Objekt: /Gegenst[aä]nd|\bAssets?\b/,
  Ort: /\bLocations?\b|\bStandorte?\b|\bPlatz\b(?! mehr| hat)/,
  Leser: /\bReader\b|Lesegerät/,
  Strichcode: /\bBarcode\b/,
  Verlauf: /Geschichte|Historie/,
  Sie: /\b(du|dich|dir|dein\w*)\b|(^|[.:!?] )(Scanne|Wähle|Drücke|Melde|Sende|Öffne|Tippe|Lass|Nimm|Geh|Warte)(?![a-zäöüß])/i,
};

/** Whatever is said, with placeholders where something is put in. */
function* said(text: unknown, path: string): Generator<{ path: string; words: string }> {
  if (typeof text === 'string') {
    yield { path, words: text };
  } else if (typeof text === 'function') {
    // The words are in its source; what is put in has names, not words.
    for (const [words] of String(text).matchAll(/'[^']*'|`[^`]*`/g)) {
      yield { path, words: words.slice(1, -1).replace(/\$\{[^}]*\}/g, '…') };
    }
  } else if (typeof text === 'object' && text !== null) {
    for (const [name, each] of Object.entries(text)) {
      // What the German words of a server's sentence are found by is English.
      if (name !== 'around') {
        yield* said(each, `${path}.${name}`);
      }
    }
  }
}

/** Whatever has two words in it, and is not an example of something typed. */
const SENTENCE = /\p{L}{2,}\P{L}* \P{L}*\p{L}{2,}/u;

/** Names of products and protocols, in every language. */
const NAMES = new Set(['console.labels.sizes.letter-30', 'console.readers.protocolValue']);

describe('German in console and app', () => {
  for (const [room, german, english] of [
    ['console', consoleTexts, consoleEnglish],
    ['app', appTexts, appEnglish],
  ] as const) {
    it(`is in no sentence of the ${room} what English is`, () => {
      const known = new Map([...said(english, room)].map(({ path, words }) => [path, words]));
      const left = [...said(german, room)].filter(
        ({ path, words }) => SENTENCE.test(words) && known.get(path) === words && !NAMES.has(path),
      );
      expect(left).to.deep.equal([]);
    });
  }

  for (const [room, texts] of Object.entries({ console: consoleTexts, app: appTexts })) {
    it(`has one word for each thing, and one form of address, in the ${room}`, () => {
      const found = [...said(texts, room)].flatMap(({ path, words }) =>
        Object.entries(AVOIDED).flatMap(([word, avoided]) =>
          avoided.test(words) ? [`${path} should say ${word}: ${words}`] : [],
        ),
      );
      expect(found).to.deep.equal([]);
    });
  }
});
