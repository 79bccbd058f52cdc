import { readFileSync } from 'node:fs';

/** The warehouse from above, in pixels: zones with walls, racks, lines, doors and the lorries at them. */
const IMAGE = new URL('floor-plan.png', import.meta.url);
const WIDTH = 1_600;
const HEIGHT = 1_000;

/** Zones, by the key of the location. */
const ZONES: readonly [
  key: string,
  box: readonly [left: number, top: number, right: number, bottom: number],
][] = [
  ['RECEIVING', [118, 78, 400, 922]],
  ['STORAGE', [400, 78, 1_000, 922]],
  ['PACKING', [1_000, 78, 1_240, 922]],
  ['SHIPPING', [1_240, 78, 1_482, 922]],
];

/** Where things stop, by the key of the location. */
const STOPS: readonly [key: string, x: number, y: number][] = [
  ['DOCK-1', 235, 230],
  ['DOCK-2', 235, 500],
  ['DOCK-3', 235, 770],
  ['AISLE-A', 520, 390],
  ['AISLE-B', 700, 390],
  ['AISLE-C', 880, 390],
  ['COLD-ROOM', 700, 820],
  ['PACK-1', 1_120, 330],
  ['PACK-2', 1_120, 670],
  ['GATE-1', 1_375, 340],
  ['GATE-2', 1_375, 660],
];

export interface FloorPlan {
  png: Buffer;
  /** By the key of the location; each from 0 to 1. */
  shapes: ReadonlyMap<string, readonly (readonly [x: number, y: number])[]>;
}

export function readFloorPlan(): FloorPlan {
  const relative = (x: number, y: number): readonly [number, number] => [x / WIDTH, y / HEIGHT];
  return {
    png: readFileSync(IMAGE),
    shapes: new Map<string, readonly (readonly [number, number])[]>([
      ...ZONES.map(([key, [left, top, right, bottom]]) => {
        const corners = [
          relative(left, top),
          relative(right, top),
          relative(right, bottom),
          relative(left, bottom),
        ];
        return [key, corners] as const;
      }),
      ...STOPS.map(([key, x, y]) => [key, [relative(x, y)]] as const),
    ]),
  };
}
