import { table } from '../shared/table.ts';

/** Columns of a terminal that lists keep to. */
const WIDTH = 100;

const INDENT = '    ';

/**
 * Rows for a terminal of {@link WIDTH} columns: a table of the columns that fit, and under each row what does not, with its
 * heading, unless there is nothing to it. A word that is longer than a line is not broken, so that it can be copied.
 */
export function listTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
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

/** Lines of `parts`, which are kept whole where a line is long enough for them. */
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
    for (const word of isLong ? piece.split(' ') : [piece]) {
      put(word);
    }
  }
  return lines;
}
