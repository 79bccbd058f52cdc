/** Milliseconds within which a signal comes twice, from the terminal and from a program around this one (npm, timeout). */
const SAME = 500;

/** A listener that does `first` at the first signal and `again` at each later one; one that comes twice at once counts once. */
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
