import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';

/** A queue that transactions write to, and the feed in which its rows get their positions after the commit. */
export interface Queue {
  name: 'moves' | 'changes';
  /** Columns that go from the queue into the feed. */
  columns: FragmentSqlToken;
  /** Channel that names the heads of feeds. */
  sealed: string;
  queue: FragmentSqlToken;
  sequence: string;
  feed: FragmentSqlToken;
  heads: FragmentSqlToken;
  days: FragmentSqlToken;
  /** Columns of a new head, and their values. */
  begun: { columns: FragmentSqlToken; values: FragmentSqlToken };
}

/** Histories and alerts. */
export const MOVES: Queue = {
  name: 'moves',
  columns: sql.fragment`asset_id, kind, part, parts, recorded_at, location_id, since, last_seen, previous_location_id,
    duration_seconds, rows`,
  ...{ sealed: 'moves_sealed', sequence: 'unsealed_moves_id_seq' },
  ...{ queue: sql.fragment`unsealed_moves`, feed: sql.fragment`moves` },
  ...{ heads: sql.fragment`move_heads`, days: sql.fragment`move_days` },
  begun: {
    columns: sql.fragment`, complete_since`,
    values: sql.fragment`, (select created_at from organizations where organizations.id = counted.org_id)`,
  },
};

/** Assets, locations and their tags. */
export const CHANGES: Queue = {
  name: 'changes',
  columns: sql.fragment`recorded_at, resource, resource_id, action`,
  ...{ sealed: 'changes_sealed', sequence: 'unsealed_changes_id_seq' },
  ...{ queue: sql.fragment`unsealed_changes`, feed: sql.fragment`change_events` },
  ...{ heads: sql.fragment`change_heads`, days: sql.fragment`change_days` },
  begun: { columns: sql.fragment``, values: sql.fragment`` },
};
