/**
 * How long, in milliseconds, what reads or writes large rows waits for its organization's turn, and how many may: pieces of
 * pages, of which a caller has a few under way at most, and changes.
 */
export const QUEUE = { waitingPerKey: 100, patience: 45_000 };
