import type { Pool } from '../../../db/timescale/connections/client.ts';

/**
 * Topics and topic filters of readers that were deleted. A session that the broker keeps for a process that was away
 * may still be subscribed to them.
 */
export async function loadRetiredTopics(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ topic: string }>(
    `select distinct reader.topic
     from readers reader join organizations organization on organization.id = reader.org_id
     where reader.deleted_at is not null or organization.deleted_at is not null`,
  );
  return rows.map(({ topic }) => topic);
}
