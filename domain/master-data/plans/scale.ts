import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { Plan, pixelsApart, type Scale, type Size, sizeInMetres } from '../../tracking/location/position.ts';
import type { PlanPlace } from './places.ts';

/** Distances that a scale can name, in metres. */
export const LEAST_METRES = 0.1;
export const MOST_METRES = 10_000;

/** Pixels of the image between the points of a scale: nearer ones are a click apart by chance. */
const LEAST_PIXELS = 10;

/** @throws Invalid if its points are too near to each other. */
export function requireFarApart(image: Size, scale: Scale): void {
  if (pixelsApart(image, scale) < LEAST_PIXELS) {
    throw invalid([
      invalidValue(
        'scale.points',
        `must be at least ${LEAST_PIXELS} pixels of the image apart: choose two points far from each other`,
      ),
    ]);
  }
}

/** @throws Invalid if the places of the plan reach too far to be decided on, or have too many corners and overlaps. */
export function requireUsable(image: Size, scale: Scale, places: readonly PlanPlace[]): void {
  const size = sizeInMetres(image, scale);
  const inMetres = places.map(({ locationId, points }) => ({
    locationId,
    // As they are stored.
    corners: points.map(([x, y]) => ({ x: Math.fround(x) * size.width, y: Math.fround(y) * size.height })),
  }));
  const fault = Plan.faultOf({ places: inMetres });
  if (fault !== null && fault !== 'no_places') {
    throw invalid([invalidValue('scale', FAULTS[fault](size))]);
  }
}

const FAULTS = {
  too_wide: ({ width, height }: Size) =>
    `makes the plan ${Math.round(width)} m x ${Math.round(height)} m, and its places may span 40,000 square metres ` +
    '(200 m x 200 m) and 40,000 m in one direction at most: check the distance, or use a plan for each part',
  too_intricate: () =>
    'makes the outlines of its places too large for their corners and overlaps: ' +
    'draw them with fewer corners, take off places that cover others, or use a plan for each part',
};
