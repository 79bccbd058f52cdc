/** What a stranger's device sent, fit for one line of a terminal: control characters are written as escapes. */
export function forTerminal(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
