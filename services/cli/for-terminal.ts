/**
 * What a stranger's device sent, fit for one line of a terminal: control characters are written as escapes.
 *
 * @param most UTF-16 units of `text` that are shown.
 */
export function forTerminal(text: string, most = Number.POSITIVE_INFINITY): string {
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return cut.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
