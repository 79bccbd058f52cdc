/** A list of which a page is shown. */
export interface Whole {
  load: (most: number, stop: AbortSignal, onRows: (rows: number, of: number) => void) => Promise<void>;
  /** Shows the page again. */
  drop: () => void;
}

/** Those on the screen. */
export const wholes = new Set<Whole>();

/** Returns what takes the offer back. */
export function offerWhole(whole: Whole): () => void {
  wholes.add(whole);
  return () => wholes.delete(whole);
}
