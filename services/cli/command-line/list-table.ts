import { table } from '../../../base/table.ts';
import { forTerminal } from './for-terminal.ts';

const WIDTH = 100;

const INDENT = '    ';

/**
 * A table for a terminal of {@link WIDTH} columns: columns that fit, and below each row the others with their
 * headings, unless empty. Longer words are broken; `--json` has them whole. Names may come from a tenant, so
 * control characters in cells are escaped.
 */
export function listTable(head: readonly string[], given: readonly (readonly string[])[]): string[] {
  const rows = given.map((cells) => cells.map((cell) => forTerminal(cell)));
  const fitting = columnsThatFit(head, rows);
  const [headLine = '', rule = '', ...lines] = table(
    head.slice(0, fitting),
    rows.map((cells) => cells.slice(0, fitting)),
  );
  const below = rows.map((cells) =>
    cells
      .map((cell, column) =>
        column < fitting || ['', '-'].includes(cell) ? '' : `${head[column]} ${cell}`.trim(),
      )
      .filter((part) => part !== ''),
  );
  return [headLine, rule, ...lines.flatMap((line, row) => [line, ...wrapped(below[row] ?? [])])];
}

function columnsThatFit(head: readonly string[], rows: readonly (readonly string[])[]): number {
  let width = -2;
  const tooWide = head.findIndex((name, column) => {
    width += 2 + rows.reduce((most, cells) => Math.max(most, (cells[column] ?? '').length), name.length);
    return column > 0 && width > WIDTH;
  });
  return tooWide === -1 ? head.length : tooWide;
}

/** Joins `parts` into lines, breaking only parts longer than a line. */
function wrapped(parts: readonly string[]): string[] {
  const lines: string[] = [];
  const put = (piece: string) => {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + piece.length > WIDTH) {
      lines.push(INDENT + piece);
    } else {
      lines[lines.length - 1] = `${line} ${piece}`;
    }
  };
  for (const [index, part] of parts.entries()) {
    const piece = index < parts.length - 1 ? `${part},` : part;
    const isLong = INDENT.length + piece.length > WIDTH;
    for (const word of isLong ? piece.split(' ').flatMap(inLines) : [piece]) {
      put(word);
    }
  }
  return lines;
}

/** Never splits a character. */
const PIECES = new RegExp(`.{1,${WIDTH - INDENT.length}}(?![\\uDC00-\\uDFFF])`, 'g');

function inLines(word: string): string[] {
  return word.match(PIECES) ?? [];
}
