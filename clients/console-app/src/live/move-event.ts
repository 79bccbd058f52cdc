/** An event of the move feed (contract 2.8), what of it is shown. */
export interface MoveEvent {
  type: 'tagtrail.asset.moved.v1' | 'tagtrail.history.corrected.v1' | (string & {});
  /** When it was recorded. */
  time: string;
  data: {
    position: number;
    asset: { id: number; external_key: string; name: string };
    previous_location_id: number | null;
    /** Which part of how many, of a large correction. */
    part?: readonly [part: number, parts: number];
    current: {
      location_id: number | null;
      location_external_key: string | null;
      since: string | null;
      last_seen: string | null;
      /** The location was another before. */
      changed: boolean;
    };
  };
}
