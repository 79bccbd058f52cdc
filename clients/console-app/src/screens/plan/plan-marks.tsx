import type { Point } from '../../api/types.ts';
import type { Place } from '../../live/tree-model.ts';
import { hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { labelOf, type Shapes } from './shapes.ts';

export type Light = 'lit' | 'dim' | null;

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

/** A place with its count; at another number of `arrivals` it pulses. */
export function PlanPin({
  place,
  total,
  points,
  arrivals,
  light,
}: {
  place: Place;
  total: number;
  points: readonly Point[];
  arrivals: number;
  light: Light;
}) {
  const [x, y] = labelOf(points);
  return (
    <a
      class={`pin${light === null ? '' : ` is-${light}`}${points.length > 1 ? ' pin-outlined' : ''}`}
      style={{ left: `${100 * x}%`, top: `${100 * y}%` }}
      href={hrefWith({ open: place.id })}
      data-pin={place.id}
      draggable={false}
    >
      {arrivals > 0 && <span class="pin-ring" key={arrivals} />}
      <span class="pin-count" aria-hidden="true">
        {texts.value.now.count(total)}
      </span>
      <span class="pin-name">{place.name}</span>
      <span class="unseen">: {texts.value.shell.assetsHere(total)}</span>
    </a>
  );
}
