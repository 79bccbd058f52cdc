import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/** The most seconds for which a consumer may have an asset's events held back for their net change. */
export const MOST_SETTLE_SECONDS = 60;

export function isSettleSeconds(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MOST_SETTLE_SECONDS;
}

/**
 * How many more seconds an event sealed at a time waits. None if that time is in the future: the database's clock was
 * set back.
 */
export function waitsFor(sealedAt: FragmentSqlToken, settleSeconds: number): FragmentSqlToken {
  return sql.fragment`(case when ${sealedAt} > clock_timestamp() then 0
    else greatest(0, ${settleSeconds}::float8 - extract(epoch from clock_timestamp() - ${sealedAt})::float8) end)`;
}
