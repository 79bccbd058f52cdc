/**
 * All advisory locks of a database in one list: two with one number would be one lock. Those with an organization
 * beside the number are separate.
 */
export const ADVISORY_LOCKS = {
  migration: 7_461_726,
  /** Giving a reader a name or a topic, or changing a format. */
  registration: 7_461_727,
  sweep: 7_461_728,
  /** Shared by recorders, exclusive for whoever changes a smoothing setting. */
  smoothing: 7_461_729,
  recomputation: 7_461_732,
  /** Occupying the embedded database, while its owner runs. */
  occupation: 7_461_730,
  /** Shared by users of the embedded server, exclusive for whoever stops it. */
  use: 7_461_731,
  /** Dividing a broker's sessions among ingest processes. */
  sessions: 7_461_733,
  searchIndexes: 7_461_734,
} as const;

/** First of two numbers; the second is the organization. */
export const ORGANIZATION_LOCKS = {
  tree: 7_461_727,
  imports: 7_461_728,
  /** Claiming names of live rows; hashed with the organization and the name. */
  names: 7_461_729,
} as const;
