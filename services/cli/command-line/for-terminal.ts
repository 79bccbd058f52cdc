/**
 * What a stranger's device sent, fit for one line of a terminal: control characters are written as escapes.
 *
 * @param most UTF-16 units of `text` that are shown.
 */
export function forTerminal(text: string, most = Number.POSITIVE_INFINITY): string {
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return cut.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** {@link forTerminal} of each line. */
export function linesForTerminal(text: string): string {
  return text
    .split('\n')
    .map((line) => forTerminal(line))
    .join('\n');
}

/** `value` as JSON of several lines, which means the same to a program. */
export function jsonForTerminal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[^\P{C}\n]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
