/** Tones that can be told apart on paper and by night; more places than these share them. */
const TONES = ['--seen-ink', '--moved-ink', '--place-ink', '--problem-ink', '--refused-ink', '--queued-ink'];

/** A tone for each place, in the order in which they are named. */
export function coloursOf(ids: readonly number[]): (id: number | null | undefined) => string {
  const order = [...new Set(ids)];
  return (id) => {
    const index = id === null || id === undefined ? -1 : order.indexOf(id);
    return index === -1 ? 'var(--line)' : `var(${TONES[index % TONES.length]})`;
  };
}
