import type { Arrivals, Reader } from '../../api/reader.ts';

/**
 * Antennas whose reads among the kept messages would move nothing: those that are named, and at no place. Where more is kept
 * than was looked at, those that are registered too. One that is switched off is so on purpose.
 */
export function unplacedOf(
  { antennas }: Reader,
  named: readonly number[],
  { open, messages }: Arrivals,
): readonly number[] {
  const waiting = antennas.filter(({ enabled, location_external_key: key }) => enabled && key === null);
  const settled = new Set(antennas.filter((each) => !waiting.includes(each)).map(({ port }) => port));
  const asked = open > messages.length ? [...named, ...waiting.map(({ port }) => port)] : named;
  return [...new Set(asked)].filter((port) => !settled.has(port)).sort((a, b) => a - b);
}
