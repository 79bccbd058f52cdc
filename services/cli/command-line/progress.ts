/** Silent unless standard error is a terminal. */
export interface Progress {
  show(text: string): void;
  end(): void;
}

export function progressOn(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) {
    return { show: () => {}, end: () => {} };
  }
  return {
    show: (text) => stream.write(`\r\u001b[2K${text.slice(0, stream.columns - 1)}`),
    end: () => stream.write('\r\u001b[2K'),
  };
}
