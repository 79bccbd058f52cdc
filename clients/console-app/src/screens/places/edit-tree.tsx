import { useRef, useState } from 'preact/hooks';
import type { Place } from '../../live/tree-model.ts';
import { useTree } from '../../live/use-tree.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { followPointer } from '../../parts/follow-pointer.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ROW, useWindow } from '../../parts/tree/use-window.ts';
import { FEW, visibleRows } from '../../parts/tree/visible-rows.ts';
import { address, go, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { EditTreeRow } from './edit-tree-row.tsx';
import { movePlace } from './move-place.ts';
import { MovePlaceSheet } from './move-place-sheet.tsx';

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
