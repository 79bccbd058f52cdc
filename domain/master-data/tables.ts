import { sql } from '../../db/timescale/queries/sql.ts';

/** Where assets and locations are stored. */
export const TABLES = { asset: sql.fragment`assets`, location: sql.fragment`locations` };
