/**
 * The advisory locks that are taken on a database, all of them, because two with one number would be one lock. Those
 * taken with an organization beside the number are apart from the others.
 */
export const ADVISORY_LOCKS = {
  /** Who migrates. */
  migration: 7_461_726,
  /** Who gives a reader a name or a topic, or changes a format. */
  registration: 7_461_727,
  /** Who drops what is too old. */
  sweep: 7_461_728,
  /** Recorders share it; who makes a setting of smoothing holds it alone. */
  smoothing: 7_461_729,
  /** Who computes histories anew. */
  recomputation: 7_461_732,
  /** Who has the embedded database, for as long as it runs. */
  occupation: 7_461_730,
  /** Who uses the embedded server share it; who stops it holds it alone. */
  use: 7_461_731,
  /** Who divides sessions at a broker among the ingest processes. */
  sessions: 7_461_733,
  /** Who builds the indexes of searches beside everything else. */
  searchIndexes: 7_461_734,
} as const;

/** Taken as the first of two numbers, of which the second is the organization. */
export const ORGANIZATION_LOCKS = {
  /** Who changes the tree of locations. */
  tree: 7_461_727,
  /** Who imports assets or locations. */
  imports: 7_461_728,
  /** Who gives a live row one of some names; hashed together with the organization and the name. */
  names: 7_461_729,
} as const;
