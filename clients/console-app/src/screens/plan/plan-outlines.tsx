import type { Light } from './plan-pin.tsx';
import type { Shapes } from './shapes.ts';

/** Outlines below the pins, in the plan's own measure. */
export function PlanOutlines({
  shapes,
  lightOf,
  onOpen,
}: {
  shapes: Shapes;
  lightOf: (id: number) => Light;
  onOpen: (id: number) => void;
}) {
  return (
    <svg class="plan-outlines" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      {[...shapes].map(([id, points]) =>
        points.length < 3 ? null : (
          // biome-ignore lint/a11y/noStaticElementInteractions: by keys it is opened by its pin
          <polygon
            key={id}
            class={lightOf(id) === null ? 'outline' : `outline is-${lightOf(id)}`}
            points={points.map(([x, y]) => `${x},${y}`).join(' ')}
            onClick={() => onOpen(id)}
          />
        ),
      )}
    </svg>
  );
}
