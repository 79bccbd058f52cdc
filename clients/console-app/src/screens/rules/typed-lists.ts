/** Separated by anything that no key contains. */
export function keysIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((key) => key !== '');
}

export function linesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
