export interface Place {
  id: number;
  external_key: string;
  name: string;
}

export interface Location extends Place {
  parent_id: number | null;
  tags: readonly { tag_type: string; value: string }[];
}

/** The part of a location that is stored along with other things. */
export function placeOf({ id, external_key, name }: Place): Place {
  return { id, external_key, name };
}
