import type { PlanAntenna, PlanPlace, Point } from '../../api/types.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';

export type Shapes = ReadonlyMap<number, readonly Point[]>;

export function shapesOf(places: readonly PlanPlace[]): Shapes {
  return new Map(places.map(({ location_id: id, points }) => [id, points]));
}

export function placesOf(shapes: Shapes): PlanPlace[] {
  return [...shapes].map(([id, points]) => ({ location_id: id, points: points.map(rounded) }));
}

/** The position of each antenna, by `<reader>/<port>`. */
export type Pins = ReadonlyMap<string, { point: Point } & Omit<FreeAntenna, 'key'>>;

/** An antenna that is not on the plan. */
export interface FreeAntenna {
  key: string;
  readerName: string;
  /** Its port, or its name. */
  word: number | string;
}

export function pinsOf(antennas: readonly PlanAntenna[]): Pins {
  return new Map(
    antennas.map(({ reader_id: id, port, point, reader_name: readerName, antenna_name: name }) => [
      pinKey(id, port),
      { point, readerName, word: name ?? port },
    ]),
  );
}

export function pinKey(readerId: number, port: number): string {
  return `${readerId}/${port}`;
}

export function portOf(key: string): number {
  return Number(key.split('/')[1]);
}

export function antennasOf(pins: Pins): Omit<PlanAntenna, 'reader_name' | 'antenna_name'>[] {
  return [...pins].map(([key, { point }]) => ({
    ...{ reader_id: Number(key.split('/')[0]), port: portOf(key), point: rounded(point) },
  }));
}

/** Finer than a pixel of any image. */
export function rounded([x, y]: Point): Point {
  return [Math.round(x * 100_000) / 100_000, Math.round(y * 100_000) / 100_000];
}

/** The centre of its bounding box. */
export function middleOf(points: readonly Point[]): Point {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
}

/** The position of its count: at an outline's upper edge, as in a legend, so that its content has room. */
export function labelOf(points: readonly Point[]): Point {
  return points.length === 1
    ? middleOf(points)
    : [middleOf(points)[0], Math.min(...points.map(([, y]) => y))];
}

/** Moved as a whole, and kept on the plan. */
export function moved(points: readonly Point[], [dx, dy]: Point): readonly Point[] {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const by = (delta: number, all: readonly number[]) =>
    Math.max(-Math.min(...all), Math.min(1 - Math.max(...all), delta));
  const [byX, byY] = [by(dx, xs), by(dy, ys)];
  return points.map(([x, y]): Point => [x + byX, y + byY]);
}

export function within([x, y]: Point): Point {
  return [Math.max(0, Math.min(1, x)), Math.max(0, Math.min(1, y))];
}

/** The place itself or the nearest above it that is on the plan; null if none is. */
export function shownPlace(model: TreeModel, shapes: Shapes, id: number | null): number | null {
  for (let each: Place | null = model.place(id); each !== null; each = each.parent) {
    if (shapes.has(each.id)) {
      return each.id;
    }
  }
  return null;
}
