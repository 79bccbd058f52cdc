/**
 * The keys of the advisory locks, which are per database: in one place, so that no two are the same. Locks of two halves,
 * the second of which is an organization, live in a space of their own.
 */
export const ADVISORY_LOCKS = {
  /** Held while migrating. */
  migration: 7_461_726,
  /** Held by whatever gives a reader a name or a topic. */
  registration: 7_461_727,
  /** Held by the one process that drops old scans. */
  sweep: 7_461_728,
  /** Shared by recorders, held alone by who makes a smoothing setting. */
  smoothing: 7_461_729,
  /** Held for good by the process that everything runs in. */
  occupation: 7_461_730,
} as const;
