import type { ComponentChildren, JSX } from 'preact';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { texts } from '../../texts/texts.ts';
import type { VisibleRow } from './visible-rows.ts';

export interface TreeRowProps {
  row: VisibleRow;
  /** In the whole tree, from 1. */
  index: number;
  /** The row that has the focus, or gets it. */
  isCurrent: boolean;
  onToggle: () => void;
  onFocus: () => void;
}

/** A place of the tree: its toggle, its name, and further cells. */
export function TreeRow({
  row: { place, level, isOpen },
  index,
  isCurrent,
  onToggle,
  onFocus,
  kind = '',
  link,
  children,
}: TreeRowProps & {
  /** Classes besides its own. */
  kind?: string;
  link: JSX.IntrinsicElements['a'];
  children: ComponentChildren;
}) {
  const t = texts.value.now;
  const hasMore = place.children.length > 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot draw ten of ten thousand rows
    <div
      class={`tree-row ${kind}`}
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
        <a {...link} tabIndex={-1}>
          <span class="title">{place.name}</span>
          <span class="mono faint">{place.key}</span>
        </a>
      </div>
      {children}
    </div>
  );
}
