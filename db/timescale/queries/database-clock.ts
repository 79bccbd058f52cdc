import { sql } from './sql.ts';

/** Milliseconds since 1970 by the database's clock. */
export const DATABASE_NOW = sql.fragment`extract(epoch from clock_timestamp())::float8 * 1000`;

/** Milliseconds by which a machine's clock may differ from the database's for its times to be written. */
export const TOLERATED_SKEW = 5_000;
