import { running } from './running.ts';

export interface Progress {
  show(text: string): void;
  end(): void;
}

/** One line on standard error that changes; silent unless that is a terminal. */
export function showProgress(): Progress {
  const { stderr } = running().streams;
  if (stderr.isTTY !== true) {
    return { show: () => {}, end: () => {} };
  }
  return {
    show: (text) => stderr.write(`\r\u001b[2K${text.slice(0, (stderr.columns ?? 80) - 1)}`),
    end: () => stderr.write('\r\u001b[2K'),
  };
}
