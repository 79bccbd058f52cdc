/** Shows what is now and what happened lately, again and again. */
export interface Screen {
  /**
   * @param state what is now, as lines.
   * @param news what happened since the last time, oldest first.
   */
  show(state: readonly string[], news: readonly string[]): void;
}

/** What a screen needs of a terminal. */
export interface Terminal {
  columns: number;
  rows: number;
  write(text: string): void;
}

/** Draws over what it drew before, so that only what is printed above it scrolls away. */
export function redrawnScreen(terminal: Terminal): Screen {
  let latest: string[] = [];
  let drawn = 0;
  return {
    show: (state, news) => {
      latest = [...latest, ...news].slice(-MOST_NEWS);
      // A line that wraps or does not fit could not be found again to draw over it.
      const lines = [...state, '', 'Latest moves (UTC)', ...latest.toReversed()]
        .slice(0, Math.max(1, terminal.rows - 1))
        .map((line) => clip(line, terminal.columns - 1));
      terminal.write(`${drawn === 0 ? '' : `\u001b[${drawn}A`}\r\u001b[J${lines.join('\n')}\n`);
      drawn = lines.length;
    },
  };
}

/** For a file or a pipe: the first state, then the news only, a line each. */
export function linesScreen(print: (line: string) => void): Screen {
  let isFirst = true;
  return {
    show: (state, news) => {
      const lines = isFirst ? [...state, ''] : news;
      isFirst = false;
      lines.forEach(print);
    },
  };
}

function clip(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}

const MOST_NEWS = 8;
