import { useRef, useState } from 'preact/hooks';
import { patch } from '../../api/send.ts';
import { asApiError } from '../../api/use-read.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { useTree } from '../../live/use-tree.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { followPointer } from '../../parts/follow-pointer.ts';
import { ItemPicker, type PickedItem } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { problemText } from '../../parts/problem-text.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { TreeRow, type TreeRowProps } from '../../parts/tree/tree-row.tsx';
import { ROW, useWindow } from '../../parts/tree/use-window.ts';
import { FEW, visibleRows } from '../../parts/tree/visible-rows.ts';
import { address, go, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

interface Dragged {
  place: Place;
  x: number;
  y: number;
  /** A place, the top of the tree, or nothing that it could go into. */
  over: Place | 'top' | null;
}

/** The tree of places, in which each is dragged into another; by keys, M asks where to. */
export function EditTree() {
  const t = texts.value.placeTree;
  const { model, problem, reload } = useTree();
  const box = useRef<HTMLDivElement>(null);
  const chosen = useRef(new Map<number, boolean>());
  const [, draw] = useState(0);
  const [current, setCurrent] = useState<number | null>(null);
  const [moving, setMoving] = useState<Place | null>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const redraw = () => draw((count) => count + 1);
  const isOpen = (place: Place) =>
    chosen.current.get(place.id) ?? ((model?.size ?? 0) <= FEW || place.parent === null);
  const rows = model === null ? [] : visibleRows(model, isOpen, address.value.query.get('q') ?? '');
  const { first, last } = useWindow(box, rows.length);
  if (model === null) {
    return problem === null ? (
      <p class="loading">{texts.value.shell.loading}</p>
    ) : (
      <ProblemNote problem={problem} onRetry={reload} />
    );
  }
  if (rows.length === 0) {
    return <EmptyState icon="search" title={texts.value.now.nothingFound} />;
  }
  const canMove = may('operator');
  const at = Math.max(
    0,
    rows.findIndex(({ place }) => place.id === current),
  );
  const toggle = (place: Place, open: boolean) => {
    chosen.current.set(place.id, open);
    redraw();
  };
  const focus = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    const id = rows[to]?.place.id ?? null;
    setCurrent(id);
    if (box.current !== null && Math.abs(box.current.scrollTop - to * ROW) > box.current.clientHeight - ROW) {
      box.current.scrollTop = to * ROW - box.current.clientHeight / 2;
    }
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-place="${id}"]`)?.focus());
  };
  const move = (place: Place, into: Place | null) => {
    if (into !== null) {
      chosen.current.set(into.id, true);
    }
    setCurrent(place.id);
    void movePlace(model, place, into, redraw);
  };
  const overOf = ({ clientX, clientY }: PointerEvent): Dragged['over'] => {
    const under = document.elementFromPoint(clientX, clientY);
    const id = under?.closest<HTMLElement>('[data-place]')?.dataset['place'];
    return id === undefined ? (under?.closest('[data-top]') == null ? null : 'top') : model.place(Number(id));
  };
  const drag = (event: PointerEvent, place: Place) =>
    followPointer(event, {
      onMove: (_dx, _dy, next) => setDragged({ place, x: next.clientX, y: next.clientY, over: overOf(next) }),
      onDrop: (next) => {
        const over = overOf(next);
        if (over !== null && over !== place) {
          move(place, over === 'top' ? null : over);
        }
      },
      onEnd: () => setDragged(null),
    });
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const { place } = row;
    const acts: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      ArrowRight: () => toggle(place, true),
      ArrowLeft: () =>
        row.isOpen && place.children.length > 0
          ? toggle(place, false)
          : focus(rows.findIndex((each) => each.place === place.parent)),
      Enter: () => go(hrefWith({ open: place.id })),
      ...(canMove ? { m: () => setMoving(place) } : {}),
    };
    const act = acts[event.key];
    if (act !== undefined && event.target instanceof HTMLElement && event.target.role === 'row') {
      event.preventDefault();
      act();
    }
  };
  return (
    <>
      {canMove && <p class="hint">{t.hint}</p>}
      <div class="tree-box">
        {canMove && (
          <div class={dragged?.over === 'top' ? 'tree-top is-target' : 'tree-top'} data-top>
            {t.top}
          </div>
        )}
        <div
          ref={box}
          class="tree"
          role="treegrid"
          aria-label={texts.value.screens.places}
          aria-rowcount={rows.length}
          aria-colcount={2}
          tabIndex={-1}
          onKeyDown={onKeyDown}
        >
          {/* biome-ignore lint/a11y/useSemanticElements: a table cannot draw ten of ten thousand rows */}
          <div
            role="rowgroup"
            style={{ paddingTop: `${first * ROW}px`, paddingBottom: `${(rows.length - last) * ROW}px` }}
          >
            {rows.slice(first, last).map((row, index) => (
              <EditTreeRow
                key={row.place.id}
                row={row}
                index={first + index + 1}
                isCurrent={first + index === at}
                isTarget={dragged !== null && dragged.over === row.place && dragged.place !== row.place}
                canMove={canMove}
                onToggle={() => toggle(row.place, !row.isOpen)}
                onFocus={() => setCurrent(row.place.id)}
                onMove={() => setMoving(row.place)}
                onPointerDown={(event) => event.pointerType !== 'touch' && drag(event, row.place)}
              />
            ))}
          </div>
        </div>
      </div>
      {dragged !== null && (
        <span class="tree-ghost" style={{ left: `${dragged.x}px`, top: `${dragged.y}px` }} aria-hidden="true">
          {dragged.place.name}
        </span>
      )}
      {moving !== null && (
        <MovePlaceSheet
          model={model}
          place={moving}
          onMove={(into) => move(moving, into)}
          onClose={() => setMoving(null)}
        />
      )}
    </>
  );
}

/** A place of the tree that can be dragged into another, or moved by its button. */
function EditTreeRow({
  isTarget,
  canMove,
  onMove,
  onPointerDown,
  ...tree
}: TreeRowProps & {
  /** What is dragged would go into it. */
  isTarget: boolean;
  canMove: boolean;
  onMove: () => void;
  onPointerDown: (event: PointerEvent) => void;
}) {
  const t = texts.value.placeTree;
  const { place } = tree.row;
  return (
    <TreeRow
      {...tree}
      kind={isTarget ? 'edit-row is-target' : 'edit-row'}
      link={{
        href: hrefWith({ open: place.id }),
        draggable: false,
        ...(canMove ? { onPointerDown } : {}),
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: of a row that is no element of a table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
      <div role="gridcell" class="tree-total">
        {canMove && (
          <button
            type="button"
            class="secondary small"
            tabIndex={-1}
            aria-label={t.moveOf(place.name)}
            onClick={onMove}
          >
            {t.moveTo}
          </button>
        )}
      </div>
    </TreeRow>
  );
}

/** Moves a place without dragging. */
function MovePlaceSheet({
  model,
  place,
  onMove,
  onClose,
}: {
  model: TreeModel;
  place: Place;
  onMove: (into: Place | null) => void;
  onClose: () => void;
}) {
  const t = texts.value.placeTree;
  const { parent } = place;
  const [picked, setPicked] = useState<PickedItem | null>(
    parent === null ? null : { id: parent.id, external_key: parent.key, name: parent.name },
  );
  return (
    <SideSheet
      title={t.moveTitle(place.name)}
      sub={<span class="mono">{place.key}</span>}
      onClose={onClose}
      foot={
        <button type="submit" form="move-place" class="primary">
          {t.move}
        </button>
      }
    >
      <form
        id="move-place"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onMove(picked === null ? null : model.place(picked.id));
          onClose();
        }}
      >
        <ItemPicker
          resource="locations"
          label={texts.value.places.within}
          hint={texts.value.places.withinHint}
          none={texts.value.places.onTop}
          picked={picked}
          onPick={setPicked}
        />
      </form>
    </SideSheet>
  );
}

/**
 * Puts a place into another, or on top where `into` is null, and says so with an undo; or why not. The tree shows it at once:
 * the server's is up to a second old.
 */
function movePlace(model: TreeModel, place: Place, into: Place | null, redraw: () => void): Promise<void> {
  const from = place.parent;
  const send = async (to: Place | null) => {
    await patch(`/locations/${place.id}`, { parent_id: to?.id ?? null });
    model.reparent(place.id, to?.id ?? null);
    redraw();
  };
  const t = texts.value.placeTree;
  const refused = (to: Place | null, error: unknown) => {
    const isCycle = to !== null && model.isWithin(to, place);
    toast(isCycle ? t.cycle(place.name, to.name) : problemText(asApiError(error)));
  };
  if (into === from) {
    return Promise.resolve();
  }
  return send(into).then(
    () =>
      toast(into === null ? t.onTop(place.name) : t.moved(place.name, into.name), () =>
        send(from).catch((error: unknown) => refused(from, error)),
      ),
    (error: unknown) => refused(into, error),
  );
}
