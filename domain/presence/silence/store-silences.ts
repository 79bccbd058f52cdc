import type { Micros } from '../../../base/instant.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { ReaderId } from '../store-connections.ts';
import type { LoadedEvidence } from './load-evidence.ts';
import type { Silence } from './silences.ts';

export interface SilencesOfReader extends ReaderId {
  stored: readonly Silence[];
  derived: readonly Silence[];
}

/** Replaces stored silences by derived ones. Equal ones are not written. */
export async function storeSilences(db: Connection, readers: readonly SilencesOfReader[]): Promise<void> {
  const gone = readers.flatMap(({ stored, derived, ...reader }) => {
    const begin = new Set(derived.map(({ since }) => since));
    return stored.filter(({ since }) => !begin.has(since)).map((silence) => ({ ...reader, ...silence }));
  });
  const changed = readers.flatMap(({ stored, derived, ...reader }) => {
    const untilOf = new Map(stored.map(({ since, until }) => [since, until]));
    return derived
      .filter(({ since, until }) => untilOf.get(since) !== until)
      .map((silence) => ({ ...reader, ...silence }));
  });
  if (gone.length > 0) {
    await db.exec(sql.prepared('drop-silences', NO_ROWS)`
      delete from reader_spans span using unnest(${orgIds(gone)}::integer[], ${readerIds(gone)}::integer[],
        ${sinces(gone)}::timestamptz[]) as given (org_id, reader_id, since)
      where span.org_id = given.org_id and span.reader_id = given.reader_id and span.state = 'silent'
        and span.started_at = given.since`);
  }
  if (changed.length > 0) {
    // In this order: of a reader one silence may be open, and the one before is ended first.
    await db.exec(sql.prepared('keep-silences', NO_ROWS)`
      insert into reader_spans (org_id, reader_id, state, started_at, ended_at)
      select org_id, reader_id, 'silent', since, until
      from unnest(${orgIds(changed)}::integer[], ${readerIds(changed)}::integer[], ${sinces(changed)}::timestamptz[],
        ${sql.binary(timestamps(changed.map(({ until }) => until)))}::timestamptz[])
        as given (org_id, reader_id, since, until)
      order by org_id, reader_id, since
      on conflict (org_id, reader_id, state, started_at) do update set ended_at = excluded.ended_at`);
  }
}

type Given = ReaderId & Silence;

const orgIds = (of: readonly Given[]) => sql.binary(integers(of.map(({ orgId }) => orgId)));
const readerIds = (of: readonly Given[]) => sql.binary(integers(of.map(({ readerId }) => readerId)));
const sinces = (of: readonly Given[]) => sql.binary(timestamps(of.map(({ since }) => since)));

/**
 * Keeps silences that began before the kept watches: their beginning cannot be derived any more. From `settled` on
 * derived silences are right, because as much time was watched since as may be expected at most.
 *
 * @param stored sorted, as are the others.
 */
export function keepSettled(
  {
    stored,
    derived,
    heard,
    deletedAt,
  }: Pick<LoadedEvidence, 'stored' | 'heard' | 'deletedAt'> & { derived: readonly Silence[] },
  settled: Micros,
): Silence[] {
  const past = stored.filter(({ since }) => since < settled);
  const since = derived
    .filter(({ until }) => until === null || until > settled)
    .map((silence) => ({ ...silence, since: Math.max(silence.since, settled) }));
  const last = past.at(-1);
  if (last === undefined || (last.until !== null && last.until < settled)) {
    return [...past, ...since];
  }
  const [first, ...rest] = since;
  if (first?.since === settled) {
    return [...past.slice(0, -1), { since: last.since, until: first.until }, ...rest];
  }
  const next = heard.find((each) => each.since > last.since)?.since ?? deletedAt ?? settled;
  return [...past.slice(0, -1), { since: last.since, until: Math.min(next, settled) }, ...since];
}
