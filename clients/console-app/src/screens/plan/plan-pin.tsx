import type { Point } from '../../api/types.ts';
import type { Place } from '../../live/tree-model.ts';
import { hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { labelOf } from './shapes.ts';

export type Light = 'lit' | 'dim' | null;

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
