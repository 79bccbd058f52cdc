/** A location as the app speaks of it. */
export interface Place {
  id: number;
  external_key: string;
  name: string;
}

/** A location of the tree the gateway gave. */
export interface Location extends Place {
  parent_id: number | null;
  tags: readonly { tag_type: string; value: string }[];
}

/** Just what is remembered of a location where it stands beside something else. */
export function placeOf({ id, external_key, name }: Place): Place {
  return { id, external_key, name };
}
