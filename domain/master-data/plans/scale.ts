import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { Plan } from '../../tracking/location/position.ts';
import type { PlanPlace, Point } from './places.ts';

/** Two points of a plan and how far apart they are. */
export interface Scale {
  points: readonly [Point, Point];
  metres: number;
}

/** Longest distance that a scale can name, in metres. */
export const MOST_METRES = 10_000;

/** Pixels of the image between the points of a scale: nearer ones are a click apart by chance. */
const LEAST_PIXELS = 10;

interface Image {
  width: number;
  height: number;
}

/** How wide and how high the image is in metres. */
export function sizeInMetres(image: Image, scale: Scale): Image {
  const metresPerPixel = scale.metres / pixelsOf(image, scale);
  return { width: image.width * metresPerPixel, height: image.height * metresPerPixel };
}

/** @throws Invalid if its points are too near to each other. */
export function requireFarApart(image: Image, scale: Scale): void {
  if (pixelsOf(image, scale) < LEAST_PIXELS) {
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
  image: Image,
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

function pixelsOf({ width, height }: Image, { points: [[x1, y1], [x2, y2]] }: Scale): number {
  return Math.hypot((x2 - x1) * width, (y2 - y1) * height);
}
