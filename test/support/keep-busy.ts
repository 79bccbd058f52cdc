/** Holds the event loop for so many milliseconds. */
export function keepBusy(forMs: number): void {
  for (const until = performance.now() + forMs; performance.now() < until; ) {}
}
