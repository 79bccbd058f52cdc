import type { ComponentChildren } from 'preact';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { organizationId } from '../../api/organization.ts';
import { addressOf } from '../../api/send.ts';
import type { Plan } from '../../api/types.ts';
import { texts } from '../../texts/texts.ts';
import type { View } from './use-viewport.ts';

/** Pixels of an arrow key. */
const STEP = 60;

/** The image with its pins, and its panning and zooming. */
export function PlanBox({
  plan,
  view: { box, sheet, change },
  isBusy = false,
  onClick,
  children,
}: {
  plan: Plan;
  view: View;
  /** Something is being drawn. */
  isBusy?: boolean;
  onClick?: (event: MouseEvent) => void;
  children: ComponentChildren;
}) {
  const t = texts.value.plan;
  const onKeyDown = (event: KeyboardEvent) => {
    const acts: Record<string, () => void> = {
      '+': () => change((view) => view.zoomBy(1.4)),
      '=': () => change((view) => view.zoomBy(1.4)),
      '-': () => change((view) => view.zoomBy(1 / 1.4)),
      '0': () => change((view) => view.fit()),
      ArrowLeft: () => change((view) => view.panBy(STEP, 0)),
      ArrowRight: () => change((view) => view.panBy(-STEP, 0)),
      ArrowUp: () => change((view) => view.panBy(0, STEP)),
      ArrowDown: () => change((view) => view.panBy(0, -STEP)),
    };
    const act = acts[event.key];
    if (act !== undefined && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      act();
    }
  };
  return (
    <div class="plan-frame">
      {/* biome-ignore lint/a11y/useSemanticElements: no set of fields */}
      <div
        ref={box}
        class={isBusy ? 'plan-box is-drawing' : 'plan-box'}
        role="group"
        aria-label={t.box(plan.name)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move and widen it
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <div ref={sheet} class="plan-sheet">
          <img
            src={addressOf(`/plans/${plan.id}/image`, { organization: organizationId.value })}
            alt=""
            draggable={false}
          />
          {children}
        </div>
      </div>
      <div class="plan-zoom">
        <button
          type="button"
          class="quiet"
          aria-label={t.zoomIn}
          title={t.zoomIn}
          onClick={() => change((v) => v.zoomBy(1.4))}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={t.zoomOut}
          title={t.zoomOut}
          onClick={() => change((v) => v.zoomBy(1 / 1.4))}
        >
          <Icon name="missing" />
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={t.fit}
          title={t.fit}
          onClick={() => change((v) => v.fit())}
        >
          <Icon name="fit" />
        </button>
      </div>
    </div>
  );
}
