/**
 * Queue for an organization's turn at work on large rows: pieces of pages, of which a caller has few at once,
 * and changes. Milliseconds.
 */
export const QUEUE = { waitingPerKey: 100, patience: 45_000 };
