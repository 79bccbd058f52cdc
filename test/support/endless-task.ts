/** For a worker thread. */
export function spin(): never {
  for (;;) {}
}

export function fill(): never {
  const all: number[][] = [];
  for (;;) {
    all.push(new Array(1_000_000).fill(all.length + 0.5));
  }
}

export function double(number: number): number {
  return 2 * number;
}
