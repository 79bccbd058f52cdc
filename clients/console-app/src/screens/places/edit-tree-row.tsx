import { Icon } from '../../../../ui/parts/icon.tsx';
import { hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import type { VisibleRow } from '../now/visible-rows.ts';

/** A place of the tree that can be dragged into another, or moved by its button. */
export function EditTreeRow({
  row: { place, level, isOpen },
  index,
  isCurrent,
  isTarget,
  canMove,
  onToggle,
  onFocus,
  onMove,
  onPointerDown,
}: {
  row: VisibleRow;
  index: number;
  isCurrent: boolean;
  /** What is dragged would go into it. */
  isTarget: boolean;
  canMove: boolean;
  onToggle: () => void;
  onFocus: () => void;
  onMove: () => void;
  onPointerDown: (event: PointerEvent) => void;
}) {
  const t = texts.value.now;
  const hasMore = place.children.length > 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot draw ten of ten thousand rows
    <div
      class={isTarget ? 'tree-row edit-row is-target' : 'tree-row edit-row'}
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
        <a
          href={hrefWith({ open: place.id })}
          tabIndex={-1}
          draggable={false}
          onPointerDown={canMove ? onPointerDown : undefined}
        >
          <span class="title">{place.name}</span>
          <span class="mono faint">{place.key}</span>
        </a>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div role="gridcell" class="tree-total">
        {canMove && (
          <button
            type="button"
            class="secondary small"
            tabIndex={-1}
            aria-label={texts.value.placeTree.moveOf(place.name)}
            onClick={onMove}
          >
            {texts.value.placeTree.moveTo}
          </button>
        )}
      </div>
    </div>
  );
}
