/** The parts of an event of the move feed that can be checked against histories. */
export interface FeedEvent {
  type: string;
  time: string;
  data: {
    position: number;
    /** Only for changes of histories, like the next ones. */
    asset?: { id: number };
    added?: readonly FeedRow[];
    removed?: readonly FeedRow[];
    changed?: readonly FeedRow[];
  };
}

/** A row of a history, with its key, which sorts by instant. */
export interface FeedRow {
  row: string;
  event_observed_at: string;
  location_external_key: string;
  duration_seconds: number | null;
}

export interface FeedPage {
  events: readonly FeedEvent[];
  /** The last position given. */
  head: number;
}
