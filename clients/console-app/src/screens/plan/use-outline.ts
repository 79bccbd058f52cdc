import { useState } from 'preact/hooks';
import type { Point } from '../../api/types.ts';
import { within } from './shapes.ts';

/** The server takes no more. */
const MOST_POINTS = 100;

/** Stands for a line between two points whose distance is known, instead of an outline. */
export const SCALE = 'scale';

export interface Outline {
  /** The place that it is of. */
  id: number | typeof SCALE;
  points: readonly Point[];
  /** The cross at which a key sets the next point. */
  cross: Point;
}

/** An outline or the line of a scale that is being drawn, point by point; null while none is. */
export function useOutline(finish: (id: number, points: readonly Point[]) => void) {
  const [outline, setOutline] = useState<Outline | null>(null);
  const add = (point: Point) =>
    setOutline(
      (before) =>
        before && {
          ...before,
          points: [...before.points, within(point)].slice(0, before.id === SCALE ? 2 : MOST_POINTS),
          cross: within(point),
        },
    );
  return {
    outline,
    begin: (id: Outline['id'], cross: Point) => setOutline({ id, points: [], cross: within(cross) }),
    add,
    addAtCross: () => outline !== null && add(outline.cross),
    moveCross: ([dx, dy]: Point) =>
      setOutline(
        (before) => before && { ...before, cross: within([before.cross[0] + dx, before.cross[1] + dy]) },
      ),
    takeBack: () => setOutline((before) => before && { ...before, points: before.points.slice(0, -1) }),
    cancel: () => setOutline(null),
    end: () => {
      if (outline !== null && outline.id !== SCALE && outline.points.length >= 3) {
        finish(outline.id, outline.points);
        setOutline(null);
      }
    },
  };
}
