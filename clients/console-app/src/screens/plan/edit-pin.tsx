import type { Point } from '../../api/plan.ts';
import type { Place } from '../../live/tree-model.ts';
import { followPointer } from '../../parts/follow-pointer.ts';
import { texts } from '../../texts/texts.ts';
import { labelOf } from './shapes.ts';

/** Pixels of an arrow key; with Shift one, to be exact. */
const STEP = 8;

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** A place that is dragged, or moved by arrow keys; an outline goes with it as a whole. */
export function EditPin({
  place,
  points,
  isChosen,
  onChoose,
  onMove,
  onRemove,
}: {
  place: Place;
  points: readonly Point[];
  isChosen: boolean;
  onChoose: () => void;
  /** In pixels of the screen. */
  onMove: (dx: number, dy: number, step: string) => void;
  onRemove: () => void;
}) {
  const t = texts.value.plan;
  const [x, y] = labelOf(points);
  const onKeyDown = (event: KeyboardEvent) => {
    const way = ARROWS[event.key];
    if (way !== undefined) {
      event.preventDefault();
      const by = event.shiftKey ? 1 : STEP;
      onMove(way[0] * by, way[1] * by, `keys ${place.id}`);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      onRemove();
    }
  };
  return (
    <button
      type="button"
      class={isChosen ? 'pin pin-edited is-lit' : 'pin pin-edited'}
      style={{ left: `${100 * x}%`, top: `${100 * y}%` }}
      aria-label={t.movePin(place.name)}
      aria-pressed={isChosen}
      data-pin={place.id}
      data-drags
      onFocus={onChoose}
      onClick={onChoose}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        const step = `drag ${place.id} ${event.timeStamp}`;
        followPointer(event, { onMove: (dx, dy) => onMove(dx, dy, step) });
      }}
    >
      <span class="pin-name">{place.name}</span>
    </button>
  );
}
