import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { Plan, pixelsApart, type Scale, type Size, sizeInMetres } from '../../tracking/location/position.ts';
import type { PlanPlace } from './places.ts';

/** Longest distance that a scale can name, in metres. */
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

/** @throws Invalid if the places of the plan reach too far to be decided on. */
export function requireUsable(
  image: Size,
  scale: Scale,
  places: readonly PlanPlace[],
  locationId: number,
): void {
  const size = sizeInMetres(image, scale);
  const inMetres = places.map((place) => ({
    locationId: place.locationId,
    corners: place.points.map(([x, y]) => ({ x: x * size.width, y: y * size.height })),
  }));
  if (places.length > 0 && !Plan.isUsable({ locationId, places: inMetres, antennas: [] })) {
    const wide = `${Math.round(size.width)} m x ${Math.round(size.height)} m`;
    throw invalid([
      invalidValue(
        'scale',
        `makes the plan ${wide}, and its places may span 40,000 square metres (200 m x 200 m) at most: ` +
          'check the distance, or use a plan for each part',
      ),
    ]);
  }
}
