import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Keyed } from '../by-id-or-key.ts';

export interface KeptImport {
  id: number;
  resource: Keyed;
  file_name: string;
  bytes: number;
  state: 'uploaded' | 'checked' | 'applied';
  /** JSON, as it was written. */
  outcome: string | null;
  digest: Buffer | null;
  created_at: string;
  checked_at: string | null;
  applied_at: string | null;
  /** The work in progress on it; null also if the process doing it is gone. */
  work: 'checking' | 'applying' | null;
  done_rows: number | null;
  /** Counts of the file, as counted last. */
  rows: number | null;
}

/** Seconds of silence after which the process working on a file is considered dead. */
const SILENCE = 15;

const COLUMNS = sql.fragment`kept.id, kept.resource, kept.file_name, kept.bytes, kept.state, kept.digest,
  kept.created_at, kept.checked_at, kept.applied_at, work.kind as work, work.done_rows,
  kept.rows`;

const FROM = sql.fragment`imports kept
  left join import_work work on work.org_id = kept.org_id and work.import_id = kept.id
    and work.seen_at > now() - ${sql.literalValue(String(SILENCE))} * interval '1 second'`;

export function findImport(connection: OrganizationConnection, id: number): Promise<KeptImport | null> {
  return connection.maybeOne(sql.prepared('find-import', rowsOf<KeptImport>())`
    select ${COLUMNS}, kept.outcome::text as outcome from ${FROM}
    where kept.org_id = ${connection.orgId} and kept.id = ${id}`);
}

/** The latest, without their outcomes. */
export function listImports(
  connection: OrganizationConnection,
  limit: number,
): Promise<readonly KeptImport[]> {
  return connection.any(sql.prepared('list-imports', rowsOf<KeptImport>())`
    select ${COLUMNS}, null as outcome from ${FROM}
    where kept.org_id = ${connection.orgId}
    order by kept.id desc limit ${limit}`);
}
