import fc from 'fast-check';
import type { DecidingScan, DecidingSource } from '../../domain/tracking/history/deciding-scan.ts';
import type { DecidedTransition, Sighting, Transition } from '../../domain/tracking/history/history.ts';

/** Ten minutes in the scale of the random sightings: few instants and places, so that they meet often. */
export const START = Date.UTC(2026, 4, 1, 10) * 1_000;

export const anInstant = fc.integer({ min: 0, max: 40 }).map((step) => START + step * 700_001);

export const anRssi = fc.oneof(fc.constant(null), fc.integer({ min: -60, max: -57 }), fc.constant(-57.5));

export const aSighting: fc.Arbitrary<Sighting> = fc.record({
  observedAt: anInstant,
  locationId: fc.integer({ min: 1, max: 3 }),
  rssi: anRssi,
});

const aSource: fc.Arbitrary<DecidingSource> = fc.oneof(
  fc.record({
    kind: fc.constant('reader' as const),
    readerId: fc.integer({ min: 9, max: 10 }),
    antenna: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({
    kind: fc.constant('handheld' as const),
    handheldId: fc.constant(1),
    submissionId: fc.constantFrom('S10', 'S9'),
    index: fc.integer({ min: 9, max: 10 }),
  }),
);

/** With the scan it is of: few sources and tags, so that often nothing else tells two apart. */
export const aScanned: fc.Arbitrary<Sighting & { scan: DecidingScan }> = fc
  .tuple(aSighting, aSource, fc.constantFrom('barcode', 'rfid'), fc.constantFrom('B', 'a'))
  .map(([sighting, source, tagType, tagValue]) => {
    const { observedAt, rssi } = sighting;
    // A scan was received once; so it says that the right one was taken.
    const receivedAt = observedAt + source.kind.length + tagType.length;
    return { ...sighting, scan: { receivedAt, tagType, tagValue, rssi, source } };
  });

/**
 * The rule, said as plainly as can be and without regard to cost: of every instant the winner, then every winner whose
 * place is not that of the winner before.
 */
export function historyByDefinition(sightings: readonly Sighting[]): Transition[] {
  return decidedHistoryByDefinition(sightings).map(({ observedAt, locationId, durationSeconds }) => ({
    observedAt,
    locationId,
    durationSeconds,
  }));
}

/** As {@link historyByDefinition}, with the scan that decided each row. */
export function decidedHistoryByDefinition(sightings: readonly Sighting[]): DecidedTransition[] {
  const instants = [...new Set(sightings.map(({ observedAt }) => observedAt))].sort((a, b) => a - b);
  const winners = instants.map((instant) =>
    winnerByDefinition(sightings.filter(({ observedAt }) => observedAt === instant)),
  );
  const moves = winners.filter(({ locationId }, index) => locationId !== winners[index - 1]?.locationId);
  return moves.map(({ observedAt, locationId, scan: decidedBy = null }, index) => {
    const previous = moves[index - 1];
    const durationSeconds =
      previous === undefined ? null : Math.floor((observedAt - previous.observedAt) / 1_000_000);
    return { observedAt, locationId, durationSeconds, decidedBy };
  });
}

/** Of those of one instant the one that counts. */
export function winnerByDefinition<Seen extends Sighting>(rivals: readonly Seen[]): Seen {
  const strongest = Math.max(...rivals.map(({ rssi }) => rssi ?? Number.NEGATIVE_INFINITY));
  const strong = rivals.filter(({ rssi }) => (rssi ?? Number.NEGATIVE_INFINITY) === strongest);
  const place = Math.min(...strong.map(({ locationId }) => locationId));
  const [first] = strong
    .filter(({ locationId }) => locationId === place)
    .map((seen) => ({ seen, name: nameInOrder(seen.scan ?? null) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (first === undefined) {
    throw new Error('an instant without a scan');
  }
  return first.seen;
}

/** The texts of scans that nothing else tells apart, in order of which decides. */
function nameInOrder(scan: DecidingScan | null): string {
  if (scan === null) {
    return '';
  }
  const { source, tagType, tagValue } = scan;
  const digits = (number: number) => String(number).padStart(10, '0');
  const tag = `${tagType.padEnd(10)} ${tagValue.padEnd(40)}`;
  return source.kind === 'handheld'
    ? `1 ${tag} ${source.submissionId.padEnd(40)} ${digits(source.index)}`
    : `2 ${digits(source.readerId)} ${digits(source.antenna)} ${tag}`;
}
