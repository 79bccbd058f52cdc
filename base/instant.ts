/**
 * Whole microseconds since 1970-01-01T00:00:00Z in a plain number: exact until 2255, and the precision of the database.
 * The wire shows milliseconds (contract 2.7).
 */
export type Micros = number;

export const MICROS_PER_MILLISECOND = 1_000;
export const MICROS_PER_SECOND = 1_000_000;
export const MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;
