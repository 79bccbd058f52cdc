import { texts, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { TOLERATED_SKEW } from '../../../db/timescale/queries/database-clock.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../intervals.ts';

export interface Watch extends Interval {
  id: string;
}

/** Rows in the future by the database's clock were dated by a wrong one, and are left out. */
export async function storeWatches(db: Connection, watches: readonly Watch[]): Promise<void> {
  await db.exec(sql.prepared('keep-intake-watches', NO_ROWS)`
    insert into intake_watches as kept (id, started_at, ended_at)
    select id::uuid, since, until
    from unnest(${sql.binary(texts(watches.map(({ id }) => id)))}::text[],
      ${sql.binary(timestamps(watches.map(({ since }) => since)))}::timestamptz[],
      ${sql.binary(timestamps(watches.map(({ until }) => until)))}::timestamptz[]) as given (id, since, until)
    where until <= clock_timestamp() + make_interval(secs => ${TOLERATED_SKEW / 1_000}::integer)
    on conflict (id) do update set ended_at = greatest(kept.ended_at, excluded.ended_at)`);
}
