import { Icon } from '../../../../ui/parts/icon.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import type { VisibleRow } from './visible-rows.ts';

/** A row is lit for so long, in milliseconds, after something came or went. */
const LIT_MS = 1_500;

export function PlaceRow({
  row: { place, level, isOpen },
  index,
  most,
  isCurrent,
  onToggle,
  onFocus,
}: {
  row: VisibleRow;
  index: number;
  most: number;
  isCurrent: boolean;
  onToggle: () => void;
  onFocus: () => void;
}) {
  const t = texts.value.now;
  const hasMore = place.children.length > 0;
  const isLit = place.touchedAt > 0 && performance.now() - place.touchedAt < LIT_MS;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot draw ten of ten thousand rows
    <div
      class="tree-row"
      role="row"
      aria-level={level}
      aria-rowindex={index}
      aria-expanded={hasMore ? isOpen : undefined}
      tabIndex={isCurrent ? 0 : -1}
      data-place={place.id}
      onFocus={onFocus}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
      <div role="gridcell" class="tree-name" style={{ paddingLeft: `${(level - 1) * 1.25}rem` }}>
        {hasMore ? (
          <button
            type="button"
            class={isOpen ? 'tree-toggle tree-toggle-open' : 'tree-toggle'}
            tabIndex={-1}
            aria-label={isOpen ? t.close(place.name) : t.open(place.name)}
            onClick={onToggle}
          >
            <Icon name="forward" />
          </button>
        ) : (
          <span class="tree-leaf" />
        )}
        <a href={href('place', place.id)} tabIndex={-1}>
          <span class="title">{place.name}</span>
          <span class="mono faint">{place.key}</span>
        </a>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
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
    </div>
  );
}
