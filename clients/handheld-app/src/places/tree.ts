import { tagKey } from '../../../../domain/tracking/tag-key.ts';
import { isTagType, type TagType } from '../../../../domain/tracking/tag-type.ts';
import type { Location } from '../gateway/place.ts';

/** The locations of an organization, to walk through without a network. */
export class LocationTree {
  readonly all: readonly Location[];
  readonly #byId: ReadonlyMap<number, Location>;
  readonly #children = new Map<number | null, Location[]>();

  constructor(locations: readonly Location[]) {
    this.all = locations;
    this.#byId = new Map(locations.map((location) => [location.id, location]));
    for (const location of locations) {
      // A parent that is not in the list (it is hidden from this list, or deleted) leaves a root.
      const parent =
        location.parent_id !== null && this.#byId.has(location.parent_id) ? location.parent_id : null;
      this.#children.set(parent, [...(this.#children.get(parent) ?? []), location]);
    }
    for (const children of this.#children.values()) {
      children.sort((one, other) => compareNames(one.name, other.name) || one.id - other.id);
    }
  }

  get(id: number): Location | undefined {
    return this.#byId.get(id);
  }

  /** Those right below a location, by name; of null, the roots. */
  children(id: number | null): readonly Location[] {
    return this.#children.get(id) ?? [];
  }

  /** From the root down to the parent of the location. */
  ancestors(id: number): Location[] {
    const path: Location[] = [];
    let parent = this.#byId.get(id)?.parent_id ?? null;
    while (parent !== null && path.length < this.all.length) {
      const location = this.#byId.get(parent);
      if (location === undefined) {
        break;
      }
      path.unshift(location);
      parent = location.parent_id;
    }
    return path;
  }

  /** Locations in whose name or key every word of `text` is, in the order of the tree. */
  search(text: string): Location[] {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#inOrder(null).filter(({ name, external_key }) => {
      const searched = `${name} ${external_key}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    });
  }

  /** The location that has the tag: with just this value, or the only one whose tag's key is the same. */
  byTag(tagType: TagType, value: string): Location | null {
    const exact = this.#withTag((tag) => tag.tag_type === tagType && tag.value === value);
    if (exact.length > 0) {
      return exact[0] ?? null;
    }
    const key = tagKey(tagType, value);
    const alike = this.#withTag(
      (tag) => tag.tag_type === tagType && isTagType(tag.tag_type) && tagKey(tag.tag_type, tag.value) === key,
    );
    return alike.length === 1 ? (alike[0] ?? null) : null;
  }

  #withTag(matches: (tag: Location['tags'][number]) => boolean): Location[] {
    return this.all.filter(({ tags }) => tags.some(matches));
  }

  #inOrder(id: number | null): Location[] {
    return this.children(id).flatMap((location) => [location, ...this.#inOrder(location.id)]);
  }
}

/** As people order names: `Aisle 2` before `Aisle 10`. */
function compareNames(one: string, other: string): number {
  return one.localeCompare(other, undefined, { numeric: true, sensitivity: 'base' });
}
