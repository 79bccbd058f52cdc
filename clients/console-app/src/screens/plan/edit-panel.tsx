import { useState } from 'preact/hooks';
import type { PlanWithPlaces } from '../../api/plan.ts';
import type { Action } from '../../api/use-action.ts';
import { noteWrite } from '../../api/writes.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts/texts.ts';
import { PlanDetailsSheet } from './plan-details-sheet.tsx';
import { UnplacedList } from './unplaced-list.tsx';
import type { Draft } from './use-draft.ts';
import type { useOutline } from './use-outline.ts';

/** What can be done to the plan, to what is chosen on it, and what is not on it yet. */
export function EditPanel({
  plan,
  model,
  draft,
  action,
  place,
  outlining,
  onOutline,
  onSave,
  onCancel,
  onPut,
  onDrop,
}: {
  plan: PlanWithPlaces;
  model: TreeModel;
  draft: Draft;
  action: Action;
  /** What is chosen. */
  place: Place | null;
  outlining: ReturnType<typeof useOutline>;
  onOutline: (id: number) => void;
  onSave: () => void;
  onCancel: () => void;
  onPut: (place: Place) => void;
  onDrop: (place: Place, x: number, y: number) => void;
}) {
  const t = texts.value.plan;
  const [isDetailed, setDetailed] = useState(false);
  const { outline } = outlining;
  const isOutdated = action.problem?.type === 'conflict';
  return (
    <aside class="plan-panel card stack" aria-label={t.edit}>
      <div class="buttons">
        <button type="button" class="primary" disabled={action.isBusy || !draft.isChanged} onClick={onSave}>
          {texts.value.common.save}
        </button>
        <button type="button" class="secondary" disabled={!draft.canUndo} onClick={draft.undo}>
          {texts.value.common.undo}
        </button>
        <button type="button" class="secondary" onClick={onCancel}>
          {draft.isChanged ? texts.value.common.cancel : texts.value.common.close}
        </button>
      </div>
      {action.problem !== null && <ProblemNote problem={action.problem} />}
      {isOutdated && (
        <button type="button" class="secondary" onClick={() => noteWrite('/plans')}>
          {t.showTheirs}
        </button>
      )}
      {outline !== null && (
        <section class="stack" aria-label={t.outline}>
          <p role="status">{t.drawing(model.place(outline.id)?.name ?? '', outline.points.length)}</p>
          <div class="buttons">
            <button
              type="button"
              class="primary small"
              disabled={outline.points.length < 3}
              onClick={outlining.end}
            >
              {t.endOutline}
            </button>
            <button type="button" class="secondary small" onClick={outlining.cancel}>
              {texts.value.common.cancel}
            </button>
          </div>
        </section>
      )}
      {outline === null && place !== null && (
        <section class="stack" aria-label={place.name}>
          <p>
            <span class="title">{place.name}</span> <span class="mono faint">{place.key}</span>
          </p>
          <p class="hint">{t.pinKeys}</p>
          <div class="buttons">
            <button type="button" class="secondary small" onClick={() => onOutline(place.id)}>
              {t.outline}
            </button>
            <button type="button" class="secondary small" onClick={() => draft.set(place.id, null)}>
              {t.takeOff}
            </button>
          </div>
        </section>
      )}
      <UnplacedList model={model} shapes={draft.shapes} onPut={onPut} onDrop={onDrop} />
      <button
        type="button"
        class="secondary small"
        disabled={draft.isChanged}
        onClick={() => setDetailed(true)}
      >
        {t.details}
      </button>
      {isDetailed && <PlanDetailsSheet plan={plan} onClose={() => setDetailed(false)} />}
    </aside>
  );
}
