import { sql } from '../../db/timescale/queries/sql.ts';

export const TABLES = { asset: sql.fragment`assets`, location: sql.fragment`locations` };
