import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';

const SECOND = 1_000;

/**
 * Says every second that a file is worked on, and how far, so that others can watch, and know if the process is gone.
 * Nothing that the work locks is touched.
 */
export async function workOn<Result>(
  connection: OrganizationConnection,
  { id, kind }: { id: number; kind: 'checking' | 'applying' },
  work: (progress: (rows: number) => void) => Promise<Result>,
): Promise<Result> {
  let rows = 0;
  let saying = Promise.resolve();
  const say = () => {
    saying = saying.then(() => note(connection, id, kind, rows)).catch(() => {});
  };
  await note(connection, id, kind, rows);
  const timer = setInterval(say, SECOND);
  try {
    return await work((done) => {
      rows = done;
    });
  } finally {
    clearInterval(timer);
    await saying;
    await connection.exec(sql.type(NO_ROWS)`
      delete from import_work where org_id = ${connection.orgId} and import_id = ${id}`);
  }
}

async function note(connection: OrganizationConnection, id: number, kind: string, rows: number) {
  await connection.any(sql.prepared('note-import-work', rowsOf<Record<never, never>>())`
    insert into import_work (org_id, import_id, kind, done_rows)
    values (${connection.orgId}, ${id}, ${kind}, ${rows})
    on conflict (org_id, import_id) do update set kind = excluded.kind, seen_at = now(), done_rows = excluded.done_rows`);
}
