import type { Reading, RuleReading } from '../api/types.ts';
import { texts } from '../texts/texts.ts';

/** A measured value with its unit. */
export function readingText(kind: Reading['kind'], value: number): string {
  const { value: written, units } = texts.value.readings;
  return written(value, units[kind]);
}

/** What is measured, on which side, and the bound with its unit. */
export function boundWords(
  { reading, above, below }: { reading?: RuleReading | null; above?: number | null; below?: number | null },
  side: 'above' | 'below' = below == null ? 'above' : 'below',
): [what: string, side: 'above' | 'below', bound: string] {
  const { kinds } = texts.value.readings;
  const kind = reading ?? 'temperature_c';
  const bound = above ?? below ?? null;
  return [kinds[kind], side, bound === null || Number.isNaN(bound) ? '…' : readingText(kind, bound)];
}
