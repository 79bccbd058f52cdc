import { greatestOf } from './extremes.ts';
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => greatestOf(lines.map((cells) => (cells[column] ?? '').length)));
  const [headLine = '', ...rowLines] = lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [headLine, widths.map((width) => '-'.repeat(width)).join('  '), ...rowLines];
}
