import { type Box, Canvas } from '../../../simulation/drawing/canvas.ts';
import { encodePng } from '../../../simulation/drawing/png.ts';

const WIDTH = 1_600;
const HEIGHT = 1_000;

const BUILDING: Box = [110, 70, 1_490, 930];
const COLD_ROOM: Box = [420, 700, 980, 922];

/** Zones, by the key of the location. */
const ZONES: readonly [key: string, box: Box][] = [
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

/** The warehouse from above: zones with walls, racks, lines, doors and the lorries at them. */
export function drawFloorPlan(): FloorPlan {
  const canvas = new Canvas(WIDTH, HEIGHT, {
    ground: [226, 228, 222],
    asphalt: [205, 208, 203],
    floor: [250, 249, 244],
    receiving: [240, 245, 238],
    packing: [247, 242, 232],
    shipping: [238, 242, 247],
    cold: [221, 235, 244],
    wall: [58, 66, 64],
    line: [168, 172, 164],
    rack: [196, 186, 168],
    shelf: [222, 214, 198],
    belt: [122, 130, 128],
    door: [226, 172, 52],
    lorry: [250, 250, 250],
    cab: [96, 128, 150],
  } as const);
  canvas.fill([0, 90, 110, 910], 'asphalt');
  canvas.fill([1_490, 90, WIDTH, 910], 'asphalt');
  canvas.fill(BUILDING, 'floor');
  const floors = { RECEIVING: 'receiving', PACKING: 'packing', SHIPPING: 'shipping' } as const;
  for (const [key, box] of ZONES) {
    canvas.fill(box, key in floors ? floors[key as keyof typeof floors] : 'floor');
    canvas.frame(box, 2, 'line');
  }
  drawRacks(canvas);
  canvas.fill(COLD_ROOM, 'cold');
  canvas.frame(COLD_ROOM, 7, 'wall');
  canvas.fill([660, 700, 740, 707], 'door');
  for (const [, , y] of STOPS.filter(([key]) => key.startsWith('PACK'))) {
    canvas.fill([1_040, y + 50, 1_205, y + 78], 'belt');
    canvas.fill([1_040, y + 60, 1_205, y + 68], 'line');
    canvas.fill([1_060, y + 90, 1_100, y + 118], 'shelf');
    canvas.fill([1_140, y + 90, 1_180, y + 118], 'shelf');
  }
  canvas.frame(BUILDING, 8, 'wall');
  for (const [key, , y] of STOPS) {
    if (key.startsWith('DOCK')) {
      drawDoor(canvas, [110, y - 55, 118, y + 55], [4, y - 40, 106, y + 40], 4);
    } else if (key.startsWith('GATE')) {
      drawDoor(canvas, [1_482, y - 55, 1_490, y + 55], [1_494, y - 40, 1_596, y + 40], 1_570);
    }
  }
  return { png: encodePng(canvas.picture), shapes: shapesOf() };
}

type Colours = 'rack' | 'shelf' | 'wall' | 'door' | 'lorry' | 'cab';

/** Double racks along both sides of each aisle, bay by bay. */
function drawRacks(canvas: Pick<Canvas<Colours>, 'fill' | 'frame'>): void {
  for (const left of [430, 590, 770, 950]) {
    for (let top = 150; top < 640; top += 35) {
      canvas.fill([left - 18, top, left + 18, top + 33], 'rack');
      canvas.fill([left - 14, top + 4, left - 2, top + 29], 'shelf');
      canvas.fill([left + 2, top + 4, left + 14, top + 29], 'shelf');
    }
  }
}

function drawDoor(canvas: Pick<Canvas<Colours>, 'fill' | 'frame'>, door: Box, lorry: Box, cab: number): void {
  canvas.fill(door, 'door');
  canvas.fill(lorry, 'lorry');
  canvas.frame(lorry, 3, 'wall');
  canvas.fill([cab, lorry[1], cab + 26, lorry[3]], 'cab');
}

function shapesOf(): FloorPlan['shapes'] {
  const relative = (x: number, y: number): readonly [number, number] => [x / WIDTH, y / HEIGHT];
  return new Map<string, readonly (readonly [number, number])[]>([
    ...ZONES.map(([key, [left, top, right, bottom]]) => {
      const corners = [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
      ] as const;
      return [key, corners.map(([x, y]) => relative(x, y))] as const;
    }),
    ...STOPS.map(([key, x, y]) => [key, [relative(x, y)]] as const),
  ]);
}
