import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Antennas of a location; sweeps of it that are listed, the latest. */
const MOST_ANTENNAS = 200;
const MOST_SWEEPS = 20;

export interface AntennaRow {
  port: number;
  is_enabled: boolean;
  min_rssi: number | null;
  reader_id: number;
  reader_name: string;
  last_message_at: string | null;
}

/** The antennas that see a location, and when their readers last said anything. */
export function readAntennas(
  db: Connection,
  { orgId, locationId }: { orgId: number; locationId: number },
): Promise<readonly AntennaRow[]> {
  return db.any(sql.type(rowsOf<AntennaRow>())`
    select antenna.port, antenna.is_enabled, antenna.min_rssi, reader.id as reader_id, reader.name as reader_name,
      counted.last_message_at
    from antennas antenna
    join readers reader on reader.org_id = antenna.org_id and reader.id = antenna.reader_id and reader.deleted_at is null
    left join reader_counters counted on counted.org_id = reader.org_id and counted.reader_id = reader.id
    where antenna.org_id = ${orgId} and antenna.location_id = ${locationId}
    order by reader.name, reader.id, antenna.port limit ${MOST_ANTENNAS}`);
}

export interface SweepRow {
  id: string;
  ended_at: string;
  handheld: string;
  expected: number;
  found: number;
  moved_here: number;
  missing: number;
  unknown: number;
}

/** The last sweeps of a location, the latest first. */
export function readSweeps(
  db: Connection,
  { orgId, locationId }: { orgId: number; locationId: number },
): Promise<readonly SweepRow[]> {
  return db.any(sql.type(rowsOf<SweepRow>())`
    select sweep.id, sweep.ended_at, handheld.name as handheld, sweep.expected, sweep.found, sweep.moved_here,
      sweep.missing, sweep.unknown
    from sweeps sweep
    join handhelds handheld on handheld.org_id = sweep.org_id and handheld.id = sweep.handheld_id
    where sweep.org_id = ${orgId} and sweep.location_id = ${locationId}
    order by sweep.ended_at desc limit ${MOST_SWEEPS}`);
}
