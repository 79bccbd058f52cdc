import fc from 'fast-check';
import type { Sighting, Transition } from '../../domain/tracking/history/history.ts';

/** Ten minutes in the scale of the random sightings: few instants and places, so that they meet often. */
export const START = Date.UTC(2026, 4, 1, 10) * 1_000;

export const anInstant = fc.integer({ min: 0, max: 40 }).map((step) => START + step * 700_001);

export const anRssi = fc.oneof(fc.constant(null), fc.integer({ min: -60, max: -57 }), fc.constant(-57.5));

export const aSighting: fc.Arbitrary<Sighting> = fc.record({
  observedAt: anInstant,
  locationId: fc.integer({ min: 1, max: 3 }),
  rssi: anRssi,
});

/**
 * The rule, said as plainly as can be and without regard to cost: of every instant the winner, then every winner whose
 * place is not that of the winner before.
 */
export function historyByDefinition(sightings: readonly Sighting[]): Transition[] {
  const instants = [...new Set(sightings.map(({ observedAt }) => observedAt))].sort((a, b) => a - b);
  const winners = instants.map((instant) => {
    const rivals = sightings.filter(({ observedAt }) => observedAt === instant);
    const strongest = Math.max(...rivals.map(({ rssi }) => rssi ?? Number.NEGATIVE_INFINITY));
    const strong = rivals.filter(({ rssi }) => (rssi ?? Number.NEGATIVE_INFINITY) === strongest);
    return { observedAt: instant, locationId: Math.min(...strong.map(({ locationId }) => locationId)) };
  });
  const moves = winners.filter(({ locationId }, index) => locationId !== winners[index - 1]?.locationId);
  return moves.map((move, index) => {
    const previous = moves[index - 1];
    const durationSeconds =
      previous === undefined ? null : Math.floor((move.observedAt - previous.observedAt) / 1_000_000);
    return { ...move, durationSeconds };
  });
}
