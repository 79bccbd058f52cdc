import { wholeNumber } from '../command-line/command-line.ts';

/** Names of event types, with commas between. */
export function typesOf(text: string): string[] {
  return text
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
}

export const position = wholeNumber(0, Number.MAX_SAFE_INTEGER);
