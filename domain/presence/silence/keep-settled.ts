import type { Micros } from '../../../base/instant.ts';
import type { LoadedEvidence } from './load-evidence.ts';
import type { Silence } from './silences.ts';

/**
 * Silences of a reader that said nothing since before the watches that are kept. When such a silence began cannot be
 * derived any more, so it stays as it is stored; from `settled` on what is derived is right whatever was watched before,
 * since as much was watched since then as can be expected at most.
 *
 * @param stored in order, as are the others.
 */
export function keepSettled(
  {
    stored,
    derived,
    heard,
    deletedAt,
  }: Pick<LoadedEvidence, 'stored' | 'heard' | 'deletedAt'> & { derived: readonly Silence[] },
  settled: Micros,
): Silence[] {
  const past = stored.filter(({ since }) => since < settled);
  const since = derived
    .filter(({ until }) => until === null || until > settled)
    .map((silence) => ({ ...silence, since: Math.max(silence.since, settled) }));
  const last = past.at(-1);
  if (last === undefined || (last.until !== null && last.until < settled)) {
    return [...past, ...since];
  }
  const [first, ...rest] = since;
  if (first?.since === settled) {
    return [...past.slice(0, -1), { since: last.since, until: first.until }, ...rest];
  }
  const next = heard.find((each) => each.since > last.since)?.since ?? deletedAt ?? settled;
  return [...past.slice(0, -1), { since: last.since, until: Math.min(next, settled) }, ...since];
}
