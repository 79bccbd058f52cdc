import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import type { List } from '../api/use-list.ts';
import { texts } from '../texts/texts.ts';
import { isSaving, printWhole, saveWhole } from './printing.ts';
import { ProblemNote } from './problem-note.tsx';
import type { SavedCell } from './save-file.ts';

export interface Column<Row> {
  title: string;
  /** The API's name of the field to sort by. */
  sortBy?: string;
  cell: (row: Row) => ComponentChildren;
  /** What a saved list has of it, or by title where it has more than one: by default the cell, if that is text. */
  saved?: (row: Row) => SavedCell | SavedCells;
  /** Narrow screens hide weight 3, phones also weight 2. */
  weight?: 1 | 2 | 3;
  isNumber?: boolean;
  /** Of its cells. */
  class?: string;
  /** For columns of buttons: screen readers read the title. */
  isTitleUnseen?: boolean;
}

type SavedCells = Readonly<Record<string, SavedCell>>;

/** What a list that is no table saves of its rows. */
export type SavedColumns<Row> = readonly (Pick<Column<Row>, 'title' | 'saved'> & Partial<Column<Row>>)[];

/** Rows with checkboxes, for actions on several. */
export interface Selection<Row> {
  isSelected: (row: Row) => boolean;
  toggle: (row: Row) => void;
  /** All of the page. */
  isAll: boolean;
  toggleAll: () => void;
  label: (row: Row) => string;
  allLabel: string;
}

/**
 * A page of a list. The first column is a link that the whole row follows; arrow keys, Home and End go from row to row.
 * `empty` is shown if there are no rows.
 */
export function Table<Row>({
  label,
  list,
  columns,
  rowKey,
  rowHref,
  isOpen = () => false,
  isFaint = () => false,
  selection,
  empty,
}: {
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  rowHref?: (row: Row) => string;
  isOpen?: (row: Row) => boolean;
  isFaint?: (row: Row) => boolean;
  selection?: Selection<Row>;
  empty: ComponentChildren;
}) {
  if (list.problem !== null) {
    return <ProblemNote problem={list.problem} onRetry={list.reload} />;
  }
  if (list.total === 0) {
    return <>{empty}</>;
  }
  return (
    <div class="table-box">
      <table class="table" aria-busy={list.isLoading} onKeyDown={moveFocus}>
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            {selection !== undefined && (
              <th scope="col" class="select">
                <input
                  type="checkbox"
                  aria-label={selection.allLabel}
                  checked={selection.isAll}
                  onChange={selection.toggleAll}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.title} column={column} list={list} />
            ))}
          </tr>
        </thead>
        <tbody>
          {list.total === undefined && (
            <Waiting columns={columns.length + (selection === undefined ? 0 : 1)} />
          )}
          {drawnOf(list).map((row) => (
            <tr
              key={rowKey(row)}
              class={[isOpen(row) && 'is-open', isFaint(row) && 'is-faint'].filter(Boolean).join(' ')}
            >
              {selection !== undefined && (
                <td class="select">
                  <input
                    type="checkbox"
                    aria-label={selection.label(row)}
                    checked={selection.isSelected(row)}
                    onChange={() => selection.toggle(row)}
                  />
                </td>
              )}
              {columns.map((column, index) => (
                <td key={column.title} class={classOf(column, column.class)}>
                  {index === 0 && rowHref !== undefined ? (
                    <a class="row-link" href={rowHref(row)}>
                      {column.cell(row)}
                    </a>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Pager list={list} label={label} columns={columns} />
    </div>
  );
}

/** A table of rows that are all there, without sorting and pages. */
export function PlainTable<Row>({
  label,
  rows,
  columns,
  rowKey,
  class: ownClass = '',
}: {
  label?: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** Default: rows are known by their places. */
  rowKey?: (row: Row) => string | number;
  class?: string;
}) {
  return (
    <table class={`table ${ownClass}`}>
      {label !== undefined && <caption class="unseen">{label}</caption>}
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.title} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={rowKey?.(row) ?? index}>
            {columns.map((column) => (
              <td key={column.title} class={classOf(column, column.class)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Head<Row>({ column, list }: { column: Column<Row>; list?: List<Row> }) {
  const { sortBy, title, isTitleUnseen = false } = column;
  if (sortBy === undefined || list === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        <span class={isTitleUnseen ? 'unseen' : undefined}>{title}</span>
      </th>
    );
  }
  const sorted = list.sort === sortBy ? 'ascending' : list.sort === `-${sortBy}` ? 'descending' : undefined;
  return (
    <th scope="col" class={classOf(column)} aria-sort={sorted}>
      <a class="sort" href={list.sortHref(sortBy)} title={texts.value.common.sortBy(title)}>
        {title}
        {sorted !== undefined && <Icon name={sorted === 'ascending' ? 'up' : 'down'} />}
      </a>
    </th>
  );
}

/** A list that is being saved has all of its rows, of which those of the page stay drawn. */
function drawnOf<Row>({ rows, pageAt, limit }: List<Row>): readonly Row[] {
  return isSaving.value ? rows.slice(pageAt, pageAt + limit) : rows;
}

/** Rows without anything in them, so that nothing jumps when they come. */
function Waiting({ columns }: { columns: number }) {
  return (
    <>
      {Array.from({ length: 8 }, (_, index) => (
        <tr key={index} class="waiting">
          <td colSpan={columns}>
            <span />
          </td>
        </tr>
      ))}
    </>
  );
}

function classOf<Row>({ weight = 1, isNumber = false }: Column<Row>, own = ''): string {
  return `weight-${weight}${isNumber ? ' number' : ''} ${own}`;
}

/** Arrow keys, Home and End among the rows' links of a table. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row-link')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const to = at === -1 ? undefined : links[nextOf(event.key, at, links.length)];
  if (to !== undefined) {
    event.preventDefault();
    to.focus();
  }
}

function nextOf(key: string, at: number, count: number): number {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(at + 1, count - 1);
    case 'ArrowUp':
    case 'k':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return -1;
  }
}

/** Where in the list the page is; saves or prints all of it. @param label the name of the saved file. */
export function Pager<Row>({
  list,
  label,
  columns,
}: {
  list: List<Row>;
  label: string;
  columns: SavedColumns<Row>;
}) {
  const { offset, limit, total = 0, rows } = list;
  const t = texts.value.common;
  const isFirst = offset === 0;
  const isLast = offset + limit >= total;
  const latest = useRef<() => readonly (readonly SavedCell[])[]>(() => []);
  latest.current = () => savedRows(rows, columns);
  return (
    <nav class="pager" aria-label={t.pages}>
      <p>{total === 0 ? '' : t.range(offset + 1, offset + drawnOf(list).length, total)}</p>
      {total > 0 && (
        <div class="buttons">
          <Act
            label={t.saveAll(total)}
            icon="download"
            onClick={() => void saveWhole(label, list.whole, () => latest.current())}
          />
          {!(isFirst && isLast) && (
            <>
              <Act label={t.printAll(total)} icon="print" onClick={() => void printWhole()} />
              <Step label={t.previousPage} icon="back" to={isFirst ? null : list.pageHref(offset - limit)} />
              <Step label={t.nextPage} icon="forward" to={isLast ? null : list.pageHref(offset + limit)} />
            </>
          )}
        </div>
      )}
    </nav>
  );
}

/** Titles, then rows. */
export function savedRows<Row>(rows: readonly Row[], columns: SavedColumns<Row>): SavedCell[][] {
  const cellsOf = (row: Row) => columns.flatMap((column) => Object.entries(savedCells(row, column)));
  const [titles = []] = rows.slice(0, 1).map((row) => cellsOf(row).map(([title]) => title));
  return [titles, ...rows.map((row) => cellsOf(row).map(([, cell]) => cell))];
}

function savedCells<Row>(row: Row, column: SavedColumns<Row>[number]): SavedCells {
  const { title, cell, saved, isTitleUnseen = false } = column;
  if (saved === undefined) {
    const shown = cell?.(row);
    const isText = typeof shown === 'string' || typeof shown === 'number';
    return isTitleUnseen ? {} : { [title]: isText ? shown : null };
  }
  const given = saved(row);
  return typeof given === 'object' && given !== null && !(given instanceof Date) ? given : { [title]: given };
}

/** A button that is a picture. */
export function Act({
  label,
  icon,
  onClick,
}: {
  label: string;
  icon: 'download' | 'print';
  onClick: () => void;
}) {
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

function Step({ label, icon, to }: { label: string; icon: 'back' | 'forward'; to: string | null }) {
  return to === null ? (
    <span class="quiet is-off" aria-hidden="true">
      <Icon name={icon} />
    </span>
  ) : (
    <a class="quiet" href={to} aria-label={label} title={label}>
      <Icon name={icon} />
    </a>
  );
}
