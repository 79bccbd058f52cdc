import { folded } from '../../../../ui/texts/folded.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';

/** With few places all are open at first, otherwise only the top level. */
export const FEW = 60;

export interface VisibleRow {
  place: Place;
  level: number;
  isOpen: boolean;
}

/** The visible rows of the tree, in order. With a search: matches in name or key, and their ancestors. */
export function visibleRows(
  model: TreeModel,
  isOpen: (place: Place) => boolean,
  searched: string,
): VisibleRow[] {
  const text = folded(searched);
  const wanted = text === '' ? null : placesWith(model, text);
  const rows: VisibleRow[] = [];
  const add = (places: readonly Place[], level: number): void => {
    for (const place of places) {
      if (wanted === null || wanted.has(place)) {
        const shows = wanted !== null || isOpen(place);
        rows.push({ place, level, isOpen: shows });
        if (shows) {
          add(place.children, level + 1);
        }
      }
    }
  };
  add(model.roots, 1);
  return rows;
}

function placesWith(model: TreeModel, text: string): Set<Place> {
  const found = new Set<Place>();
  const look = (place: Place): void => {
    if (folded(place.name).includes(text) || folded(place.key).includes(text)) {
      for (let each: Place | null = place; each !== null; each = each.parent) {
        found.add(each);
      }
    }
    place.children.forEach(look);
  };
  model.roots.forEach(look);
  return found;
}
