import type { Reference } from './whereabouts.ts';

/** From 0 at the left and at the top to 1. */
export type Point = readonly [x: number, y: number];

export interface PlanPlace {
  location_id: number;
  /** One: a pin. Three and more: an outline. */
  points: readonly Point[];
}

/** An image of a site or a floor. */
export interface Plan {
  id: number;
  name: string;
  location: Reference | null;
  width: number;
  height: number;
  size: number;
  digest: string;
  version: number;
  place_count: number;
}

export interface PlanWithPlaces extends Plan {
  places: readonly PlanPlace[];
}
