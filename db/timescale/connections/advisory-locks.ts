import type { ClientBase } from 'pg';

/**
 * All advisory locks of a database; equal numbers would be one lock. Locks with an organization beside the number are
 * separate.
 */
export const ADVISORY_LOCKS = {
  migration: 7_461_726,
  /** Giving a reader a name or a topic, or changing a format. */
  registration: 7_461_727,
  /** Exclusive to drop or merge old rows, shared to keep that from happening meanwhile. */
  sweep: 7_461_728,
  occupation: 7_461_730,
  /** Shared by users of the embedded server, exclusive to stop it. */
  use: 7_461_731,
  sessions: 7_461_733,
  searchIndexes: 7_461_734,
  /** Giving the events of the move feed their positions. */
  sealing: 7_461_735,
  /** Publishing the move feed over MQTT. */
  movesOut: 7_461_742,
  /** Deriving readers' silences. */
  silences: 7_461_743,
  /** Deriving alerts. */
  alerts: 7_461_744,
  /** Sharing webhooks out among the processes that deliver. */
  deliverers: 7_461_740,
  /** Beginning messages to people about alerts. */
  mail: 7_461_745,
  /** Learning how often things are read at locations. */
  gaps: 7_461_746,
  /** Dropping expired data, step by step; each step also has {@link sweep}. */
  retention: 7_461_747,
  /** Recomputing histories that settings in the past have changed. */
  recomputing: 7_461_748,
  /** Adding keys to tags that a former version attached. */
  renewingKeys: 7_461_749,
  /** Recording captures of EPCIS events. */
  captures: 7_461_750,
} as const;

/** First of two numbers; the second is the organization. */
export const ORGANIZATION_LOCKS = {
  tree: 7_461_727,
  imports: 7_461_728,
  /** Claiming names of live rows; hashed with the organization and the name. */
  names: 7_461_729,
  /** Recording a submission, or taking scans of it back; hashed with the organization and the id. */
  submissions: 7_461_730,
  /** Changing rules of alerts. */
  rules: 7_461_731,
  /** Shared by recorders, exclusive for changes of location settings. */
  locating: 7_461_735,
  /** Adding a counted row: keys, handhelds, members, webhooks and others. */
  room: 7_461_734,
  /** Adding antennas. */
  antennas: 7_461_736,
  /** Moving it to another cell: at the old one, and at the new one. */
  leavingCell: 7_461_732,
  arrivingAtCell: 7_461_733,
} as const;

/** True if any session of the server, in any database, holds the advisory lock. */
export async function isHeldAnywhere(client: ClientBase, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ is_held: boolean }>(
    `select exists (
       select from pg_locks
       where locktype = 'advisory' and granted and classid = 0 and objid = $1 and objsubid = 1
     ) as is_held`,
    [lock],
  );
  return rows[0]?.is_held === true;
}
