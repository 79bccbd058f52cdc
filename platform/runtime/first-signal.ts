/** Milliseconds within which one signal may arrive twice: from the terminal and from a parent (npm, timeout). */
const SAME = 500;

/** A listener that calls `first` for the first signal and `again` for later ones; duplicates count once. */
export function firstSignal(
  first: (signal: NodeJS.Signals) => void,
  again: () => void,
): (signal: NodeJS.Signals) => void {
  let since: number | null = null;
  return (signal) => {
    if (since === null) {
      since = performance.now();
      first(signal);
    } else if (performance.now() - since > SAME) {
      again();
    }
  };
}
