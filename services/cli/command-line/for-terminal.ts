/**
 * Untrusted text for one line of a terminal: control characters are escaped.
 *
 * @param most UTF-16 units of `text` to show.
 */
export function forTerminal(text: string, most = Number.POSITIVE_INFINITY): string {
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return cut.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

export function linesForTerminal(text: string): string {
  return text
    .split('\n')
    .map((line) => forTerminal(line))
    .join('\n');
}

/** `value` as multi-line JSON, equivalent for programs. */
export function jsonForTerminal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[^\P{C}\n]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
