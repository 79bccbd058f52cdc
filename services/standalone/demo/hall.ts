import { readFileSync } from 'node:fs';
import type { PlanChanges } from '../../../domain/master-data/plans/change-plan.ts';
import { HALL_DEPTH, HALL_WIDTH, makeHall } from '../../../simulation/hall.ts';
import { makeCarts } from '../../../simulation/population.ts';
import { SITE } from './site.ts';

/** A hall beside the warehouse, where position decides, and the carts in it. */
export const HALL = makeHall({ prefix: '', topicRoot: 'hub', parent: SITE.key });
export const CARTS = makeCarts(8, '');

/** Key of the location that the plan shows. */
export const HALL_KEY = HALL.locations[0]?.key ?? '';

export function readHallPlan(): Buffer {
  return readFileSync(new URL('hall-plan.png', import.meta.url));
}

/** The drawing on the plan: the bays, the gateways, and how wide it is. */
export function onHallPlan(
  locationIds: ReadonlyMap<string, number>,
  readerIds: ReadonlyMap<string, number>,
): Required<Pick<PlanChanges, 'places' | 'antennas' | 'scale'>> {
  const point = (x: number, y: number): readonly [number, number] => [x / HALL_WIDTH, y / HALL_DEPTH];
  return {
    places: HALL.bays.map(({ location, left, top, right, bottom }) => ({
      locationId: locationIds.get(location) ?? 0,
      points: [point(left, top), point(right, top), point(right, bottom), point(left, bottom)],
    })),
    antennas: HALL.gateways.map(({ reader, mast: { x, y } }) => {
      const [left, top] = point(x, y);
      return { readerId: readerIds.get(reader.name) ?? 0, port: 1, x: left, y: top };
    }),
    scale: { points: [point(0, 0), point(HALL_WIDTH, 0)], metres: HALL_WIDTH },
  };
}
