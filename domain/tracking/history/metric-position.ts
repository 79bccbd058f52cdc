import type { Micros } from '../../../base/instant.ts';

/** Where an asset is on a plan with a scale, in metres from the left and the top of its image. */
export interface MetricPosition {
  /** The location that the plan belongs to. */
  planLocationId: number;
  x: number;
  y: number;
  /** The root of the mean squared distance from there. */
  radius: number;
}

export interface ObservedPosition extends MetricPosition {
  observedAt: Micros;
}

/** Whether both are stored as the same. */
export function isSamePosition(a: MetricPosition | null, b: MetricPosition | null): boolean {
  if (a === null || b === null) {
    return a === b;
  }
  return (
    a.planLocationId === b.planLocationId &&
    Math.fround(a.x) === Math.fround(b.x) &&
    Math.fround(a.y) === Math.fround(b.y) &&
    Math.fround(a.radius) === Math.fround(b.radius)
  );
}
