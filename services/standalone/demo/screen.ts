/** Shows the current state and recent events, repeatedly. */
export interface Screen {
  /**
   * @param state lines of the current state.
   * @param news events since the last call, oldest first.
   */
  show(state: readonly string[], news: readonly string[]): void;
}

export interface Terminal {
  columns: number;
  rows: number;
  write(text: string): void;
}

/** Redraws in place, so that only the lines above scroll away. */
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

/** For a file or a pipe: the first state, then one line per event. */
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
