import type { Reading } from '../api/types.ts';
import { texts } from '../texts/texts.ts';

/** A measured value with its unit. */
export function readingText(kind: Reading['kind'], value: number): string {
  const { value: written, units } = texts.value.readings;
  return written(value, units[kind]);
}
