import { useState } from 'preact/hooks';
import type { PlanScale, PlanWithPlaces, Point } from '../../api/types.ts';
import { antennasOf, type Pins, pinsOf, placesOf, type Shapes, shapesOf } from './shapes.ts';

/** Steps that can be undone. */
const MOST_STEPS = 200;

/** Everything on a plan. */
export interface Layout {
  shapes: Shapes;
  pins: Pins;
  scale: PlanScale | null;
}

export interface Draft extends Layout {
  /** Of the plan as it was opened. */
  version: number;
  isChanged: boolean;
  canUndo: boolean;
  /** @param step changes with the same step are undone together, such as those of one drag. */
  set: (id: number, points: readonly Point[] | null, step?: string) => void;
  /** An antenna, by its key in `pins`. */
  pin: (key: string, pinned: NonNullable<ReturnType<Pins['get']>> | null, step?: string) => void;
  setScale: (scale: PlanScale | null) => void;
  undo: () => void;
}

interface State {
  version: number;
  layout: Layout;
  past: readonly Layout[];
  step: string | null;
}

export function layoutOf({ places, antennas, scale }: PlanWithPlaces): Layout {
  return {
    shapes: shapesOf(places),
    pins: pinsOf(antennas),
    scale: scale && { points: scale.points, metres: scale.metres },
  };
}

/** As it is sent. */
export function changesOf({ shapes, pins, scale }: Layout) {
  return { places: placesOf(shapes), antennas: antennasOf(pins), scale };
}

/** The edited positions, with undo. */
export function useDraft(plan: PlanWithPlaces): Draft {
  const [{ version, layout, past }, setState] = useState<State>(() => ({
    version: plan.version,
    layout: layoutOf(plan),
    past: [],
    step: null,
  }));
  const began = past[0] ?? layout;
  const change = (work: (layout: Layout) => Partial<Layout>, step?: string) =>
    setState((before) => {
      const goesOn = step !== undefined && step === before.step;
      return {
        version: before.version,
        layout: { ...before.layout, ...work(before.layout) },
        // The first stays: it shows whether there is a change.
        past: goesOn
          ? before.past
          : [...before.past.slice(0, 1), ...before.past.slice(1).slice(-MOST_STEPS), before.layout],
        step: step ?? null,
      };
    });
  return {
    ...layout,
    version,
    isChanged: JSON.stringify(changesOf(began)) !== JSON.stringify(changesOf(layout)),
    canUndo: past.length > 0,
    set: (id, points, step) => change(({ shapes }) => ({ shapes: withEntry(shapes, id, points) }), step),
    pin: (key, pinned, step) => change(({ pins }) => ({ pins: withEntry(pins, key, pinned) }), step),
    setScale: (scale) => change(() => ({ scale })),
    undo: () =>
      setState((before) => {
        const last = before.past.at(-1);
        return last === undefined
          ? before
          : { ...before, layout: last, past: before.past.slice(0, -1), step: null };
      }),
  };
}

function withEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value | null): Map<Key, Value> {
  const next = new Map(map);
  if (value === null) {
    next.delete(key);
  } else {
    next.set(key, value);
  }
  return next;
}
