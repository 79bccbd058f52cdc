import { folded } from '../../../ui/texts/folded.ts';
import type { Data, MoveEvent } from '../api/types.ts';

export type TreeRow = Data<'GET /tree'>['locations'][number];

export class Place {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  parent: Place | null = null;
  children: readonly Place[] = [];
  /** Assets seen last at the place itself, and at all within it. */
  seen: number;
  seenWithin = 0;
  missing = 0;
  missingWithin = 0;
  /** When a move last changed it, by the clock of `performance`; 0 for never. */
  touchedAt = 0;

  constructor([id, , key, name, seen]: TreeRow) {
    this.id = id;
    this.key = key;
    this.name = name;
    this.seen = seen;
  }

  /** Those that are not missing: which are is counted anew less often than moves come. */
  get here(): number {
    return Math.max(0, this.seen - this.missing);
  }

  get total(): number {
    return Math.max(0, this.seenWithin - this.missingWithin);
  }
}

/** The places of an organization with their counts, which moves update. */
export class TreeModel {
  roots: readonly Place[];
  readonly #places = new Map<number, Place>();
  #position: number;

  constructor({ position, locations }: { position: number; locations: readonly TreeRow[] }) {
    this.#position = position;
    const below = new Map<number | null, Place[]>();
    for (const row of locations) {
      this.#places.set(row[0], new Place(row));
    }
    for (const [id, parentId] of locations) {
      const place = this.#places.get(id) as Place;
      place.parent = parentId === null ? null : (this.#places.get(parentId) ?? null);
      const siblings = below.get(place.parent?.id ?? null) ?? [];
      below.set(place.parent?.id ?? null, siblings);
      siblings.push(place);
    }
    for (const [id, children] of below) {
      children.sort((a, b) => ORDER.compare(a.name, b.name));
      const parent = id === null ? undefined : this.#places.get(id);
      if (parent !== undefined) {
        parent.children = children;
      }
    }
    this.roots = below.get(null) ?? [];
    for (const place of this.#places.values()) {
      add(place, { seen: place.seen });
    }
  }

  get position(): number {
    return this.#position;
  }

  get size(): number {
    return this.#places.size;
  }

  get assets(): number {
    return this.roots.reduce((sum, { seenWithin }) => sum + seenWithin, 0);
  }

  place(id: number | null): Place | null {
    return id === null ? null : (this.#places.get(id) ?? null);
  }

  /** Places with the text in their name or key, in the order of the tree. */
  search(text: string): Place[] {
    const wanted = folded(text);
    const found: Place[] = [];
    const look = (place: Place): void => {
      if (folded(place.name).includes(wanted) || folded(place.key).includes(wanted)) {
        found.push(place);
      }
      place.children.forEach(look);
    };
    this.roots.forEach(look);
    return found;
  }

  isWithin(place: Place, other: Place): boolean {
    for (let each: Place | null = place; each !== null; each = each.parent) {
      if (each === other) {
        return true;
      }
    }
    return false;
  }

  /** As confirmed by the server. Null is the top. */
  reparent(id: number, parentId: number | null): void {
    const [place, parent] = [this.place(id), this.place(parentId)];
    if (place === null || place.parent === parent || (parent !== null && this.isWithin(parent, place))) {
      return;
    }
    const without = (places: readonly Place[]) => places.filter((each) => each !== place);
    const withIt = (places: readonly Place[]) =>
      [...places, place].sort((a, b) => ORDER.compare(a.name, b.name));
    if (place.parent === null) {
      this.roots = without(this.roots);
    } else {
      place.parent.children = without(place.parent.children);
      add(place.parent, { seen: -place.seenWithin, missing: -place.missingWithin });
    }
    place.parent = parent;
    if (parent === null) {
      this.roots = withIt(this.roots);
    } else {
      parent.children = withIt(parent.children);
      add(parent, { seen: place.seenWithin, missing: place.missingWithin });
    }
  }

  /** @param missing number of missing assets by place. */
  setMissing(missing: readonly (readonly [number, number])[]): void {
    for (const place of this.#places.values()) {
      place.missing = 0;
      place.missingWithin = 0;
    }
    for (const [id, count] of missing) {
      const place = this.#places.get(id);
      if (place !== undefined) {
        place.missing = count;
        add(place, { missing: count });
      }
    }
  }

  /**
   * Applies the moves after its position; earlier ones are already included.
   *
   * @returns false if some are missing in between: the tree has to be read again.
   */
  apply(moves: readonly MoveEvent[], now: number): boolean {
    for (const { data } of moves) {
      if (data.position <= this.#position) {
        continue;
      }
      if (data.position !== this.#position + 1) {
        return false;
      }
      this.#position = data.position;
      // All parts of one change say the same of it.
      if (data.part === undefined || data.part[0] === 1) {
        this.#move(data.previous_location_id, data.current.location_id, now);
      }
    }
    return true;
  }

  #move(from: number | null, to: number | null, now: number): void {
    if (from === to) {
      return;
    }
    const [left, reached] = [this.place(from), this.place(to)];
    if (left !== null) {
      left.seen -= 1;
      add(left, { seen: -1, now });
    }
    if (reached !== null) {
      reached.seen += 1;
      add(reached, { seen: 1, now });
    }
  }
}

/** To the counts of a place and of all that it is within. */
function add(place: Place, { seen = 0, missing = 0, now = 0 }): void {
  for (let each: Place | null = place; each !== null; each = each.parent) {
    each.seenWithin += seen;
    each.missingWithin += missing;
    each.touchedAt = Math.max(each.touchedAt, now);
  }
}

/** Shelf 2 before shelf 10. */
const ORDER = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
