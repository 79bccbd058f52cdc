import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { texts } from '../../texts/texts.ts';
import { isPrinting } from '../printing.ts';
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

/** Rows by which Page Up and Page Down go. */
const PAGE = 12;

/**
 * A tree of locations that draws only visible rows. Arrow keys, Home, End and Page Up and Down move, left and right
 * close and open.
 */
export function TreeGrid({
  rows,
  current,
  label,
  columns,
  keysOf,
  onCurrent,
  onToggle,
  children: drawn,
}: {
  rows: readonly VisibleRow[];
  /** Id of the location whose row has the focus, or gets it. */
  current: number | null;
  label: string;
  columns: number;
  /** Further keys, while the row itself has the focus. */
  keysOf: (row: VisibleRow) => Record<string, () => void>;
  onCurrent: (id: number) => void;
  onToggle: (row: VisibleRow) => void;
  children: (props: TreeRowProps) => ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const { first, last } = useWindow(box, rows.length);
  const at = Math.max(
    0,
    rows.findIndex(({ place }) => place.id === current),
  );
  const focus = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    const element = box.current;
    const id = rows[to]?.place.id;
    if (element === null || id === undefined) {
      return;
    }
    onCurrent(id);
    const top = to * ROW;
    if (top < element.scrollTop || top + ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = top - element.clientHeight / 2;
    }
    requestAnimationFrame(() => element.querySelector<HTMLElement>(`[data-place="${id}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const hasMore = row.place.children.length > 0;
    const isOfRow = event.target instanceof HTMLElement && event.target.role === 'row';
    const acts: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      PageDown: () => focus(at + PAGE),
      PageUp: () => focus(at - PAGE),
      ArrowRight: () => (row.isOpen || !hasMore ? focus(at + 1) : onToggle(row)),
      ArrowLeft: () =>
        row.isOpen && hasMore
          ? onToggle(row)
          : focus(rows.findIndex((each) => each.place === row.place.parent)),
      ...(isOfRow ? keysOf(row) : {}),
    };
    const act = acts[event.key];
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  };
  return (
    <div
      ref={box}
      class="tree"
      role="treegrid"
      aria-label={label}
      aria-rowcount={rows.length}
      aria-colcount={columns}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot draw ten of ten thousand rows */}
      <div
        role="rowgroup"
        style={{ paddingTop: `${first * ROW}px`, paddingBottom: `${(rows.length - last) * ROW}px` }}
      >
        {rows.slice(first, last).map((row, index) =>
          drawn({
            row,
            index: first + index + 1,
            isCurrent: first + index === at,
            onToggle: () => onToggle(row),
            onFocus: () => onCurrent(row.place.id),
          }),
        )}
      </div>
    </div>
  );
}

/** Height of a row in pixels; the same in `now.css`. */
const ROW = 36;

/** Rows beyond both edges, so that scrolling shows no gap before the next frame. */
const BEYOND = 12;

/**
 * The rows visible in the scrolling `box`. All have one height, so @tanstack/virtual-core, 9.6 kB by gzip, would add
 * nothing.
 */
function useWindow(box: RefObject<HTMLElement | null>, count: number) {
  const [range, setRange] = useState({ first: 0, last: 40 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) {
      return undefined;
    }
    const measure = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / ROW) - BEYOND);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / ROW) + BEYOND;
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [count]);
  return isPrinting.value
    ? { first: 0, last: count }
    : { first: Math.min(range.first, Math.max(0, count - 1)), last: Math.min(range.last, count) };
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
