import { sql } from '../../db/timescale/queries/sql.ts';

/** Tables `reader` and `organization`, for a from clause. */
export const LIVE_READERS = sql.fragment`readers reader
    join organizations organization on organization.id = reader.org_id
      and organization.deleted_at is null and reader.deleted_at is null`;
