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

/** As if the machine were busy with others: milliseconds pass, and no processor time. */
export function wait(milliseconds: number): string {
  return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

export function double(number: number): number {
  return 2 * number;
}
