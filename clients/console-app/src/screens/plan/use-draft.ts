import { useState } from 'preact/hooks';
import type { PlanWithPlaces, Point } from '../../api/types.ts';
import { placesOf, type Shapes, shapesOf } from './shapes.ts';

/** Steps that can be undone. */
const MOST_STEPS = 200;

export interface Draft {
  shapes: Shapes;
  /** Of the plan that it began with. */
  version: number;
  isChanged: boolean;
  canUndo: boolean;
  /** @param step those of the same step are undone together, as what one drag does. */
  set: (id: number, points: readonly Point[] | null, step?: string) => void;
  undo: () => void;
}

interface State {
  version: number;
  shapes: Shapes;
  past: readonly Shapes[];
  step: string | null;
}

/** What is where while it is edited, with the way back. */
export function useDraft(plan: PlanWithPlaces): Draft {
  const [{ version, shapes, past }, setState] = useState<State>(() => ({
    version: plan.version,
    shapes: shapesOf(plan.places),
    past: [],
    step: null,
  }));
  const began = past[0] ?? shapes;
  return {
    shapes,
    version,
    isChanged: JSON.stringify(placesOf(began)) !== JSON.stringify(placesOf(shapes)),
    canUndo: past.length > 0,
    set: (id, points, step) =>
      setState((before) => {
        const next = new Map(before.shapes);
        if (points === null) {
          next.delete(id);
        } else {
          next.set(id, points);
        }
        const goesOn = step !== undefined && step === before.step;
        return {
          version: before.version,
          shapes: next,
          // The first stays, by which a change is told.
          past: goesOn
            ? before.past
            : [...before.past.slice(0, 1), ...before.past.slice(1).slice(-MOST_STEPS), before.shapes],
          step: step ?? null,
        };
      }),
    undo: () =>
      setState((before) => {
        const last = before.past.at(-1);
        return last === undefined
          ? before
          : { ...before, shapes: last, past: before.past.slice(0, -1), step: null };
      }),
  };
}
