import { MOST_NUMBER } from '../formats/mapping/acceptance.ts';
import type { TagRead } from '../formats/mapping/run.ts';
import type { RegisteredReader } from './load-readers.ts';

export type Antennas = Pick<RegisteredReader, 'antennas' | 'antennasNamed'>;

/** Of a read at an antenna that has no number, since it is named and nobody has registered it. */
export const NO_ANTENNA = 0;

/**
 * The number of the antenna that a read names. A read that names none is of the reader's only antenna; of a reader with several
 * it may be of any.
 */
export function antennaNumber(
  { antennas, antennasNamed }: Antennas,
  { antenna }: Pick<TagRead, 'antenna'>,
): number {
  if (antenna === null) {
    return antennas.size > 1 ? NO_ANTENNA : (antennas.keys().next().value ?? 1);
  }
  if (typeof antenna === 'number' && antennas.has(antenna)) {
    return antenna;
  }
  return (
    antennasNamed.get(antenna) ??
    (typeof antenna === 'number' && antenna <= MOST_NUMBER ? antenna : NO_ANTENNA)
  );
}

/** The name by which an unregistered antenna is kept: a port's digits, or empty where none is named. Null for a registered one. */
export function unplacedName(reader: Antennas, read: Pick<TagRead, 'antenna'>): string | null {
  return reader.antennas.has(antennaNumber(reader, read)) ? null : String(read.antenna ?? '');
}
