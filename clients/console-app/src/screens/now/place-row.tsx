import { TreeRow, type TreeRowProps } from '../../parts/tree/tree-row.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** A row is lit for so long, in milliseconds, after something came or went. */
const LIT_MS = 1_500;

/** A place with what is there; a bar shows its share of the most. */
export function PlaceRow({ most, ...tree }: TreeRowProps & { most: number }) {
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
