import type pg from 'pg';

/** Readers of an arrived organization count as disconnected until they connect here. */
export async function endConnections(client: pg.ClientBase, orgId: number): Promise<void> {
  await client.query(
    `with ended as (delete from reader_connections where org_id = $1 returning reader_id)
     insert into reader_spans (org_id, reader_id, state, started_at)
     select $1, reader_id, 'disconnected', now() from ended
     where not exists (
       select from reader_spans span
       where span.org_id = $1 and span.reader_id = ended.reader_id and span.state = 'disconnected'
         and span.ended_at is null
     )`,
    [orgId],
  );
}
