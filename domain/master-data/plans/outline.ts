import type { Point } from './places.ts';

/** Share of the plan's area; anything smaller is a line. */
const LEAST_AREA = 1e-7;

/** Why an outline of three and more corners is invalid for a place; null if it is valid. */
export function faultOfOutline(corners: readonly Point[]): 'crosses_itself' | 'no_area' | null {
  const edges = corners.map((from, index): Edge => [from, corners[(index + 1) % corners.length] as Point]);
  if (edges.some((edge, index) => edges.slice(index + 2).some((other) => areCrossing(edge, other)))) {
    return 'crosses_itself';
  }
  const twice = edges.reduce((sum, [[x1, y1], [x2, y2]]) => sum + (x1 * y2 - x2 * y1), 0);
  return Math.abs(twice) < 2 * LEAST_AREA ? 'no_area' : null;
}

type Edge = readonly [from: Point, to: Point];

/** Not if they only touch. */
function areCrossing([a, b]: Edge, [c, d]: Edge): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/** On which side of the line from `a` to `b` the point is: 1, -1, or 0 on the line. */
function side([ax, ay]: Point, [bx, by]: Point, [x, y]: Point): number {
  const twice = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  return Math.abs(twice) < 1e-9 ? 0 : Math.sign(twice);
}
