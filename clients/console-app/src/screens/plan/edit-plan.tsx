import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { patch } from '../../api/send.ts';
import type { PlanScale, PlanWithPlaces, Point } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { confirm } from '../../parts/confirm.tsx';
import { followPointer } from '../../parts/follow-pointer.ts';
import { toast } from '../../parts/toast.tsx';
import { useLeaveGuard } from '../../parts/use-leave-guard.ts';
import { address, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { askForPosition } from './ask-for-position.ts';
import { EditPanel } from './edit-panel.tsx';
import { PlanBox } from './plan-box.tsx';
import { PlanOutlines } from './plan-marks.tsx';
import { type FreeAntenna, labelOf, middleOf, moved, within } from './shapes.ts';
import { changesOf, type Draft, type Layout, layoutOf, useDraft } from './use-draft.ts';
import { type Outline, SCALE, useOutline } from './use-outline.ts';
import { useViewport } from './use-viewport.ts';

/** Pixels by which the cross goes at a key. */
const STEP = 12;

/** Sets pins, outlines, antennas and the scale; nothing is sent before *Save*, and each step can be undone. */
export function EditPlan({ plan, model }: { plan: PlanWithPlaces; model: TreeModel }) {
  const draft = useDraft(plan);
  const view = useViewport(plan, draft.shapes.size + draft.pins.size);
  const { viewport } = view;
  const [chosen, setChosen] = useState<Chosen>(null);
  const outlining = useOutline((id, points) => draft.set(id, points));
  const { outline } = outlining;
  const focusPin = useFocusOnPin(view.sheet);
  const pointOf = (clientX: number, clientY: number): Point | null => {
    const box = view.box.current?.getBoundingClientRect();
    const isInside =
      box !== undefined &&
      clientX >= box.left &&
      clientX <= box.right &&
      clientY >= box.top &&
      clientY <= box.bottom;
    return isInside ? viewport.pointAt(clientX - box.left, clientY - box.top) : null;
  };
  const put = ({ id }: Place, point: Point) => {
    draft.set(id, [within(point)]);
    setChosen(id);
    focusPin(id);
  };
  const pin = ({ key, ...antenna }: FreeAntenna, point: Point) => {
    draft.pin(key, { ...antenna, point: within(point) });
    setChosen(key);
    focusPin(key);
  };
  const dropped = (clientX: number, clientY: number, work: (point: Point) => void) => {
    const point = pointOf(clientX, clientY);
    if (point !== null) {
      work(point);
    }
  };
  const { action, save, cancel } = useSaving(plan, draft);
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'z') {
      event.preventDefault();
      draft.undo();
      return;
    }
    const acts = outline === null || event.target !== view.box.current ? {} : keysOf(outlining, viewport);
    const act = acts[event.key];
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  };
  return (
    <div class="plan plan-editing" onKeyDownCapture={onKeyDown}>
      <PlanBox
        plan={plan}
        view={view}
        isBusy={outline !== null}
        onClick={({ clientX, clientY }) => outline !== null && dropped(clientX, clientY, outlining.add)}
      >
        <PlanOutlines
          shapes={draft.shapes}
          lightOf={(id) => (id === chosen ? 'lit' : null)}
          onOpen={(id) => outline === null && setChosen(id)}
        />
        <EditPins {...{ model, draft, viewport, chosen }} onChoose={setChosen} />
        {draft.scale !== null && outline === null && <ScaleLine scale={draft.scale} />}
        {outline !== null && <DrawnOutline outline={outline} />}
      </PlanBox>
      <EditPanel
        {...{ plan, model, draft, action }}
        place={typeof chosen === 'number' && draft.shapes.has(chosen) ? model.place(chosen) : null}
        antenna={typeof chosen === 'string' && draft.pins.has(chosen) ? chosen : null}
        outlining={outlining}
        onMeasure={() => {
          outlining.begin(SCALE, within(viewport.middle));
          view.box.current?.focus();
        }}
        onPin={(antenna) => pin(antenna, viewport.middle)}
        onDropAntenna={(antenna, x, y) => dropped(x, y, (point) => pin(antenna, point))}
        onOutline={(id) => {
          outlining.begin(id, middleOf(draft.shapes.get(id) ?? [[0.5, 0.5]]));
          view.box.current?.focus();
        }}
        onSave={save}
        onCancel={cancel}
        onPut={(place) => put(place, viewport.middle)}
        onDrop={(place, x, y) => dropped(x, y, (point) => put(place, point))}
      />
    </div>
  );
}

/** The pins of places, and of antennas. */
function EditPins({
  model,
  draft,
  viewport: { width, height },
  chosen,
  onChoose,
}: {
  model: TreeModel;
  draft: Draft;
  viewport: { width: number; height: number };
  chosen: Chosen;
  onChoose: (pin: Chosen) => void;
}) {
  return (
    <>
      {[...draft.shapes].map(([id, points]) => {
        const place = model.place(id);
        return place === null ? null : (
          <EditPin
            key={id}
            id={id}
            name={place.name}
            at={labelOf(points)}
            isChosen={id === chosen}
            onChoose={() => onChoose(id)}
            onMove={(dx, dy, step) => draft.set(id, moved(points, [dx / width, dy / height]), step)}
            onRemove={() => draft.set(id, null)}
          />
        );
      })}
      {[...draft.pins].map(([key, { point, ...antenna }]) => (
        <EditPin
          key={key}
          id={key}
          name={texts.value.plan.antenna(antenna.readerName, antenna.word)}
          at={point}
          isChosen={key === chosen}
          onChoose={() => onChoose(key)}
          onMove={(dx, dy, step) => {
            const [to = point] = moved([point], [dx / width, dy / height]);
            draft.pin(key, { ...antenna, point: to }, step);
          }}
          onRemove={() => draft.pin(key, null)}
        />
      ))}
    </>
  );
}

/** A place by its id, or an antenna by its key. */
type Chosen = number | string | null;

/** @returns a function that focuses a pin once it is drawn. */
function useFocusOnPin(sheet: RefObject<HTMLElement | null>): (id: number | string) => void {
  const toFocus = useRef<Chosen>(null);
  useLayoutEffect(() => {
    const pin =
      toFocus.current === null ? null : sheet.current?.querySelector(`[data-pin="${toFocus.current}"]`);
    if (pin instanceof HTMLElement) {
      toFocus.current = null;
      pin.focus();
    }
  });
  return (id) => {
    toFocus.current = id;
  };
}

/** While an outline is drawn. */
function keysOf(
  outlining: ReturnType<typeof useOutline>,
  { width, height }: { width: number; height: number },
): Record<string, () => void> {
  return {
    ArrowLeft: () => outlining.moveCross([-STEP / width, 0]),
    ArrowRight: () => outlining.moveCross([STEP / width, 0]),
    ArrowUp: () => outlining.moveCross([0, -STEP / height]),
    ArrowDown: () => outlining.moveCross([0, STEP / height]),
    ' ': outlining.addAtCross,
    Enter: outlining.end,
    Backspace: outlining.takeBack,
    Escape: outlining.cancel,
  };
}

/** Saving with an undo, and leaving, which asks while something is unsaved. */
function useSaving(plan: PlanWithPlaces, draft: Draft) {
  const t = texts.value.plan;
  const action = useAction();
  const leave = () => replaceAddress(hrefWith({ edit: null }));
  const send = (layout: Layout, version: number, isMeant: boolean) =>
    patch<{ data: PlanWithPlaces }>(`/plans/${plan.id}`, {
      ...{ version, ...changesOf(layout), without_position: isMeant },
    });
  const save = () =>
    action.run(async () => {
      const saved = await askForPosition((isMeant) => send(draft, draft.version, isMeant));
      if (saved !== null) {
        toast(t.saved, () => send(layoutOf(plan), saved.data.version, true).catch(() => toast(t.notUndone)));
        leave();
      }
    });
  const askToDiscard = () =>
    confirm({ title: t.discardTitle, body: t.discardBody, action: t.discard, isDangerous: true });
  const cancel = async () => {
    if (!draft.isChanged || (await askToDiscard())) {
      leave();
    }
  };
  const here = address.value.path.join('/');
  useLeaveGuard(
    draft.isChanged,
    ({ path, query }) => path.join('/') === here && query.get('edit') === 'true',
    askToDiscard,
  );
  return { action, save, cancel };
}

/** The drawing so far, and the cross for setting points by key. */
function DrawnOutline({ outline: { points, cross } }: { outline: Outline }) {
  return (
    <>
      <svg class="plan-outlines" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        <polyline class="outline is-lit" points={points.map(([x, y]) => `${x},${y}`).join(' ')} />
      </svg>
      {points.map(([x, y], index) => (
        <span key={index} class="corner" style={{ left: `${100 * x}%`, top: `${100 * y}%` }} />
      ))}
      <span class="cross" style={{ left: `${100 * cross[0]}%`, top: `${100 * cross[1]}%` }} />
    </>
  );
}

/** The two points of the scale, and how far apart they are. */
function ScaleLine({ scale: { points, metres } }: { scale: PlanScale }) {
  const [x, y] = middleOf(points);
  return (
    <>
      <svg class="plan-outlines" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        <polyline class="scale-line" points={points.map(([px, py]) => `${px},${py}`).join(' ')} />
      </svg>
      <span class="scale-metres" style={{ left: `${100 * x}%`, top: `${100 * y}%` }} aria-hidden="true">
        {texts.value.plan.metres(metres)}
      </span>
    </>
  );
}

/** Pixels of an arrow key; with Shift one, to be exact. */
const PIN_STEP = 8;

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** A place or an antenna that is dragged, or moved by arrow keys; an outline goes with it as a whole. */
function EditPin({
  id,
  name,
  at: [x, y],
  isChosen,
  onChoose,
  onMove,
  onRemove,
}: {
  /** An antenna's key, or a place's id. */
  id: number | string;
  name: string;
  at: Point;
  isChosen: boolean;
  onChoose: () => void;
  /** In pixels of the screen. */
  onMove: (dx: number, dy: number, step: string) => void;
  onRemove: () => void;
}) {
  const t = texts.value.plan;
  const onKeyDown = (event: KeyboardEvent) => {
    const way = ARROWS[event.key];
    if (way !== undefined) {
      event.preventDefault();
      const by = event.shiftKey ? 1 : PIN_STEP;
      onMove(way[0] * by, way[1] * by, `keys ${id}`);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      onRemove();
    }
  };
  return (
    <button
      type="button"
      class={`pin pin-edited${typeof id === 'string' ? ' pin-antenna' : ''}${isChosen ? ' is-lit' : ''}`}
      style={{ left: `${100 * x}%`, top: `${100 * y}%` }}
      aria-label={t.movePin(name)}
      aria-pressed={isChosen}
      data-pin={id}
      data-drags
      onFocus={onChoose}
      onClick={onChoose}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        const step = `drag ${id} ${event.timeStamp}`;
        followPointer(event, { onMove: (dx, dy) => onMove(dx, dy, step) });
      }}
    >
      {typeof id === 'string' && <Icon name="reader" />}
      <span class="pin-name">{name}</span>
    </button>
  );
}
