import { useEffect } from 'preact/hooks';
import type { PlanWithPlaces } from '../../api/plan.ts';
import type { TreeModel } from '../../live/tree-model.ts';
import { go, hrefWith } from '../../router/router.ts';
import { LitList } from './lit-list.tsx';
import { PlanBox } from './plan-box.tsx';
import { PlanOutlines } from './plan-outlines.tsx';
import { type Light, PlanPin } from './plan-pin.tsx';
import { middleOf, shapesOf } from './shapes.ts';
import { useArrivals } from './use-arrivals.ts';
import { useLit } from './use-lit.ts';
import { useViewport } from './use-viewport.ts';

/** A plan with what is where now, and what moves. */
export function LivePlan({ plan, model }: { plan: PlanWithPlaces; model: TreeModel; version: number }) {
  const shapes = shapesOf(plan.places);
  const view = useViewport(plan, shapes.size);
  const arrivals = useArrivals(model, shapes, view.sheet);
  const lit = useLit(model, shapes);
  const lightOf = (id: number): Light => (lit.places === null ? null : lit.places.has(id) ? 'lit' : 'dim');
  const shown = [...(lit.places ?? [])].sort((a, b) => a - b).join();
  useEffect(() => {
    const points = [...(lit.places ?? [])].map((id) => middleOf(shapes.get(id) ?? [[0.5, 0.5]]));
    if (points.length > 0) {
      view.change((viewport) => viewport.show(points));
    }
  }, [shown]);
  return (
    <div class="plan">
      <PlanBox plan={plan} view={view}>
        <PlanOutlines shapes={shapes} lightOf={lightOf} onOpen={(id) => go(hrefWith({ open: id }))} />
        {[...shapes].map(([id, points]) => {
          const place = model.place(id);
          return place === null ? null : (
            <PlanPin
              key={id}
              place={place}
              total={place.total}
              points={points}
              arrivals={arrivals.get(id) ?? 0}
              light={lightOf(id)}
            />
          );
        })}
      </PlanBox>
      {lit.places !== null && <LitList lit={lit} model={model} />}
    </div>
  );
}
