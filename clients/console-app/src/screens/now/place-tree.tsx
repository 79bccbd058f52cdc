import { useState } from 'preact/hooks';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { TreeGrid } from '../../parts/tree/tree-grid.tsx';
import { TreeRow, type TreeRowProps } from '../../parts/tree/tree-row.tsx';
import { FEW, visibleRows } from '../../parts/tree/visible-rows.ts';
import { go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Opened or closed by hand, for as long as the page lives. */
const chosen = new Map<number, boolean>();

export function PlaceTree({ model, searched }: { model: TreeModel; version: number; searched: string }) {
  const t = texts.value.now;
  const [, draw] = useState(0);
  const [current, setCurrent] = useState<number | null>(null);
  const isOpen = (place: Place) =>
    chosen.get(place.id) ?? (model.size <= FEW || (place.parent === null && place.children.length <= FEW));
  const rows = visibleRows(model, isOpen, searched);
  const most = Math.max(1, ...model.roots.map(({ total }) => total));
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
      <TreeGrid
        {...{ rows, current }}
        label={t.places}
        columns={3}
        keysOf={({ place }) => ({ Enter: () => go(href('place', place.id)) })}
        onCurrent={setCurrent}
        onToggle={(row) => {
          chosen.set(row.place.id, !row.isOpen);
          draw((count) => count + 1);
        }}
      >
        {(row) => <PlaceRow key={row.row.place.id} {...row} most={most} />}
      </TreeGrid>
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
