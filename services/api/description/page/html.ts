export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | null | readonly Value[];

/** Escapes values unless they are HTML themselves; null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(textOf)));
}

function textOf(value: Value): string {
  if (value === null) {
    return '';
  }
  if (value instanceof Html) {
    return value.text;
  }
  return typeof value === 'object' ? value.map(textOf).join('') : escaped(String(value));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
