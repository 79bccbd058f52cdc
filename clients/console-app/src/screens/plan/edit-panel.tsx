import { useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { patch, remove } from '../../api/send.ts';
import type { PlanWithPlaces } from '../../api/types.ts';
import { type Action, useAction } from '../../api/use-action.ts';
import { noteWrite } from '../../api/writes.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { confirm } from '../../parts/confirm.tsx';
import { followPointer } from '../../parts/follow-pointer.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { type PlanDraft, PlanFields, SHOWN_FIELDS } from './plan-fields.tsx';
import type { Shapes } from './shapes.ts';
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

/** What a plan is called and a plan of; and deleting it. */
function PlanDetailsSheet({ plan, onClose }: { plan: PlanWithPlaces; onClose: () => void }) {
  const t = texts.value.plan;
  const [draft, setDraft] = useState<PlanDraft>({ name: plan.name, location: plan.location });
  const { run, isBusy, problem } = useAction();
  const save = () =>
    run(async () => {
      await patch(`/plans/${plan.id}`, {
        name: draft.name.trim(),
        location_id: draft.location?.id ?? null,
      });
      toast(texts.value.common.saved);
      onClose();
    });
  const drop = async () => {
    const question = { title: t.deleteTitle(plan.name), body: t.deleteBody, action: t.delete };
    if (await confirm({ ...question, isDangerous: true })) {
      await run(async () => {
        await remove(`/plans/${plan.id}`);
        toast(t.deleted(plan.name));
        go(href('plan'));
      });
    }
  };
  return (
    <SideSheet
      title={t.details}
      onClose={onClose}
      foot={
        <>
          <button type="submit" form="plan-details" class="primary" disabled={isBusy}>
            {texts.value.common.save}
          </button>
          <button type="button" class="danger" disabled={isBusy} onClick={drop}>
            {t.delete}
          </button>
        </>
      }
    >
      <form
        id="plan-details"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <PlanFields draft={draft} problem={problem} onDraft={setDraft} />
        {problem !== null && <ProblemNote problem={problem} shown={SHOWN_FIELDS} />}
      </form>
    </SideSheet>
  );
}

/** More are found by typing. */
const MOST = 100;

/** Places that are not on the plan: each is dragged onto it, or put into its middle by a click or Enter. */
function UnplacedList({
  model,
  shapes,
  onDrop,
  onPut,
}: {
  model: TreeModel;
  shapes: Shapes;
  onDrop: (place: Place, x: number, y: number) => void;
  onPut: (place: Place) => void;
}) {
  const t = texts.value.plan;
  const [text, setText] = useState('');
  const [ghost, setGhost] = useState<{ name: string; x: number; y: number } | null>(null);
  const left = model.search(text.trim()).filter(({ id }) => !shapes.has(id));
  const drag = (event: PointerEvent, place: Place) =>
    followPointer(event, {
      onMove: (_dx, _dy, { clientX, clientY }) => setGhost({ name: place.name, x: clientX, y: clientY }),
      onDrop: ({ clientX, clientY }) => onDrop(place, clientX, clientY),
      onEnd: () => setGhost(null),
    });
  return (
    <section class="unplaced" aria-label={t.unplaced}>
      <h2>{t.unplaced}</h2>
      <p class="hint">{left.length === 0 && text === '' ? t.allPlaced : t.unplacedHint}</p>
      <div class="field">
        <input
          type="search"
          aria-label={texts.value.now.search}
          placeholder={texts.value.now.search}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ul>
        {left.slice(0, MOST).map((place) => (
          <li key={place.id}>
            <button
              type="button"
              data-place={place.id}
              onClick={(event) => event.defaultPrevented || onPut(place)}
              onPointerDown={(event) => event.pointerType !== 'touch' && drag(event, place)}
            >
              <span
                class="unplaced-grip"
                aria-hidden="true"
                onPointerDown={(event) => event.pointerType === 'touch' && drag(event, place)}
              >
                <Icon name="place" />
              </span>
              <span class="title">{place.name}</span>
              <span class="hint">{place.parent?.name ?? place.key}</span>
            </button>
          </li>
        ))}
      </ul>
      {left.length > MOST && <p class="hint">{t.andMore(left.length - MOST)}</p>}
      {ghost !== null && (
        <span class="pin pin-ghost" style={{ left: `${ghost.x}px`, top: `${ghost.y}px` }} aria-hidden="true">
          <span class="pin-name">{ghost.name}</span>
        </span>
      )}
    </section>
  );
}
