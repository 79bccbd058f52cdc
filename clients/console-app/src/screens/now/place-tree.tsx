import { useRef, useState } from 'preact/hooks';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { TreeRow, type TreeRowProps } from '../../parts/tree/tree-row.tsx';
import { ROW, useWindow } from '../../parts/tree/use-window.ts';
import { FEW, visibleRows } from '../../parts/tree/visible-rows.ts';
import { go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Opened or closed by hand, for as long as the page lives. */
const chosen = new Map<number, boolean>();

export function PlaceTree({ model, searched }: { model: TreeModel; version: number; searched: string }) {
  const t = texts.value.now;
  const box = useRef<HTMLDivElement>(null);
  const [, draw] = useState(0);
  const [current, setCurrent] = useState<number | null>(null);
  const isOpen = (place: Place) =>
    chosen.get(place.id) ?? (model.size <= FEW || (place.parent === null && place.children.length <= FEW));
  const rows = visibleRows(model, isOpen, searched);
  const { first, last } = useWindow(box, rows.length);
  const at = Math.max(
    0,
    rows.findIndex(({ place }) => place.id === current),
  );
  const most = Math.max(1, ...model.roots.map(({ total }) => total));

  const toggle = (place: Place, open: boolean) => {
    chosen.set(place.id, open);
    draw((count) => count + 1);
  };
  const focus = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    const element = box.current;
    const id = rows[to]?.place.id;
    if (element === null || id === undefined) {
      return;
    }
    setCurrent(id);
    const top = to * ROW;
    if (top < element.scrollTop || top + ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = top - element.clientHeight / 2;
    }
    requestAnimationFrame(() => element.querySelector<HTMLElement>(`[data-place="${id}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (row === undefined) {
      return;
    }
    const { place } = row;
    const act: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      PageDown: () => focus(at + 12),
      PageUp: () => focus(at - 12),
      ArrowRight: () => (row.isOpen || place.children.length === 0 ? focus(at + 1) : toggle(place, true)),
      ArrowLeft: () =>
        row.isOpen && place.children.length > 0
          ? toggle(place, false)
          : focus(rows.findIndex((each) => each.place === place.parent)),
      Enter: () => go(href('place', place.id)),
    };
    const wanted = act[event.key];
    if (wanted !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      wanted();
    }
  };

  if (rows.length === 0) {
    return <EmptyState icon="search" title={t.nothingFound} />;
  }
  return (
    <div class="tree-box">
      <div class="tree-head" aria-hidden="true">
        <span>{t.place}</span>
        <span>{t.here}</span>
        <span>{t.inAll}</span>
      </div>
      <div
        ref={box}
        class="tree"
        role="treegrid"
        aria-label={t.places}
        aria-rowcount={rows.length}
        aria-colcount={3}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        <div
          role="rowgroup"
          style={{ paddingTop: `${first * ROW}px`, paddingBottom: `${(rows.length - last) * ROW}px` }}
        >
          {rows.slice(first, last).map((row, index) => (
            <PlaceRow
              key={row.place.id}
              row={row}
              index={first + index + 1}
              most={most}
              isCurrent={first + index === at}
              onToggle={() => toggle(row.place, !row.isOpen)}
              onFocus={() => setCurrent(row.place.id)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** A row is lit for so long, in milliseconds, after something came or went. */
const LIT_MS = 1_500;

/** A place with what is there; a bar shows its share of the most. */
function PlaceRow({ most, ...tree }: TreeRowProps & { most: number }) {
  const t = texts.value.now;
  const { place } = tree.row;
  const isLit = place.touchedAt > 0 && performance.now() - place.touchedAt < LIT_MS;
  return (
    <TreeRow {...tree} link={{ href: href('place', place.id) }}>
      {/* biome-ignore lint/a11y/useSemanticElements: of a row that is no element of a table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
      <div role="gridcell" class="tree-count">
        {place.here === 0 ? <span class="none">–</span> : t.count(place.here)}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div role="gridcell" class="tree-total">
        <span class="tree-bar" aria-hidden="true">
          <span style={{ width: `${(100 * place.total) / most}%` }} />
        </span>
        <span class={isLit ? 'tree-number is-lit' : 'tree-number'} key={isLit ? place.touchedAt : 0}>
          {t.count(place.total)}
        </span>
      </div>
    </TreeRow>
  );
}
