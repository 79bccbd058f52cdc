import type { PresenceDocument } from '../truth/presence-document.ts';

/** Milliseconds by which the clock of the reader at the asset's last location is behind. */
export function behindOf(site: PresenceDocument, { there }: PresenceDocument['assets'][number]): number {
  const location = there.at(-1)?.location;
  const name = site.continuous.find((each) => each.location === location)?.reader;
  const reader = site.readers.find((each) => each.reader === name);
  return Math.max(0, -(reader?.clock_ahead_seconds ?? 0)) * 1_000;
}
