import { useRef, useState } from 'preact/hooks';
import { patch } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { asApiError } from '../../api/use-read.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { noteOwnMove, useTree } from '../../live/use-tree.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { followPointer } from '../../parts/follow-pointer.ts';
import { ItemPicker, type PickedItem } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { problemText } from '../../parts/problem-text.ts';
import { FormSheet } from '../../parts/side-sheet.tsx';
import { toast, toastRefusal } from '../../parts/toast.tsx';
import { TreeGrid, TreeRow, type TreeRowProps } from '../../parts/tree/tree-grid.tsx';
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
  const { model, problem, reload } = useTree();
  if (model !== null) {
    return <MovableTree model={model} />;
  }
  return problem === null ? (
    <p class="loading">{texts.value.shell.loading}</p>
  ) : (
    <ProblemNote problem={problem} onRetry={reload} />
  );
}

function MovableTree({ model }: { model: TreeModel }) {
  const t = texts.value.placeTree;
  const chosen = useRef(new Map<number, boolean>());
  const [, draw] = useState(0);
  const [current, setCurrent] = useState<number | null>(null);
  const [moving, setMoving] = useState<Place | null>(null);
  const redraw = () => draw((count) => count + 1);
  const isOpen = (place: Place) =>
    chosen.current.get(place.id) ?? (model.size <= FEW || place.parent === null);
  const move = (place: Place, into: Place | null) => {
    if (into !== null) {
      chosen.current.set(into.id, true);
    }
    setCurrent(place.id);
    void movePlace(model, place, into, redraw);
  };
  const { dragged, drag } = useDrag(model, move);
  const rows = visibleRows(model, isOpen, address.value.query.get('q') ?? '');
  if (rows.length === 0) {
    return <EmptyState icon="search" title={texts.value.now.nothingFound} />;
  }
  const canMove = may('operator');
  return (
    <>
      {canMove && <p class="hint">{t.hint}</p>}
      <div class="tree-box">
        {canMove && (
          <div class={dragged?.over === 'top' ? 'tree-top is-target' : 'tree-top'} data-top>
            {t.top}
          </div>
        )}
        <TreeGrid
          {...{ rows, current }}
          label={texts.value.screens.places}
          columns={2}
          keysOf={({ place }) => ({
            Enter: () => go(hrefWith({ open: place.id })),
            ...(canMove ? { m: () => setMoving(place) } : {}),
          })}
          onCurrent={setCurrent}
          onToggle={({ place, isOpen: wasOpen }) => {
            chosen.current.set(place.id, !wasOpen);
            redraw();
          }}
        >
          {(props) => {
            const { place } = props.row;
            return (
              <EditTreeRow
                key={place.id}
                {...props}
                isTarget={dragged !== null && dragged.over === place && dragged.place !== place}
                canMove={canMove}
                onMove={() => setMoving(place)}
                onPointerDown={(event) => event.pointerType !== 'touch' && drag(event, place)}
              />
            );
          }}
        </TreeGrid>
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

function useDrag(model: TreeModel, onDrop: (place: Place, into: Place | null) => void) {
  const [dragged, setDragged] = useState<Dragged | null>(null);
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
          onDrop(place, over === 'top' ? null : over);
        }
      },
      onEnd: () => setDragged(null),
    });
  return { dragged, drag };
}

/** A place of the tree that can be dragged into another, or moved by its button. */
function EditTreeRow({
  isTarget,
  canMove,
  onMove,
  onPointerDown,
  ...tree
}: TreeRowProps & {
  /** The dragged location would go into it. */
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
    <FormSheet
      title={t.moveTitle(place.name)}
      sub={<span class="mono">{place.key}</span>}
      onClose={onClose}
      submit={t.move}
      action={useAction()}
      onSubmit={async () => {
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
    </FormSheet>
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
    noteOwnMove(place.id, to?.id ?? null);
    redraw();
  };
  const t = texts.value.placeTree;
  const refused = (to: Place | null, error: unknown) => {
    const isCycle = to !== null && model.isWithin(to, place);
    toastRefusal(isCycle ? t.cycle(place.name, to.name) : problemText(asApiError(error)));
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
