import { type ReadonlySignal, signal } from '@preact/signals';

/** Programs that are no page read texts, too: tests, whose types know no `document`. */
const page = globalThis as unknown as { document: { documentElement: { lang: string } } };

export interface Languages<Texts, Code extends string> {
  /** Read in a component, it is drawn again when another language is chosen. */
  texts: ReadonlySignal<Texts>;
  language: ReadonlySignal<Code>;
  codes: readonly Code[];
  choose(code: Code): Promise<void>;
  /** The first of the browser's languages that there is. */
  suggested(): Code;
}

/**
 * An app's texts, an object for each language. That of `first` comes with the app, the others when they are chosen; their
 * type is the first one's, so that none lacks a text.
 */
export function languages<Texts, First extends string, Other extends string>(
  first: { code: First; texts: Texts },
  others: Record<Other, () => Promise<Texts>>,
): Languages<Texts, First | Other> {
  const texts = signal(first.texts);
  const language = signal<First | Other>(first.code);
  const codes = [first.code, ...(Object.keys(others) as Other[])];
  const load = (code: First | Other) =>
    code === first.code ? Promise.resolve(first.texts) : others[code as Other]();
  return {
    texts,
    language,
    codes,
    async choose(code) {
      texts.value = await load(code);
      language.value = code;
      page.document.documentElement.lang = code;
    },
    suggested() {
      const wanted = navigator.languages.map((each) => each.split('-')[0]);
      return (
        codes.find((code) => code === wanted.find((each) => codes.some((is) => is === each))) ?? first.code
      );
    },
  };
}
