import { MICROS_PER_MILLISECOND } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { FlappingPair } from '../../../domain/moves/flapping-pairs.ts';
import type { Stay } from '../../../domain/tracking/history/history.ts';
import type { TrialSummary } from '../../../domain/tracking/smoothing/run-trial.ts';
import type { MadeSetting } from '../../../domain/tracking/smoothing/setting-history.ts';
import type { Pair, PairCounts } from '../../../domain/tracking/smoothing/tally-pairs.ts';
import type { References } from '../serving/names.ts';
import { type Reference, referenceOf } from '../serving/reference.ts';

export function settingView(made: MadeSetting, users: ReadonlyMap<string, string>) {
  const { actor_type: type, actor_id: id } = made;
  return {
    id: made.id,
    location: referenceOf(made.location_id, made.location_external_key, made.location_name),
    mode: made.mode,
    window_seconds: made.window_seconds,
    min_seconds: made.min_seconds,
    margin_db: made.margin_db,
    valid_from: wireTimeOfMicros(made.valid_from),
    is_in_force: made.is_in_force,
    actor:
      type === null || id === null
        ? null
        : { type, id, name: type === 'user' ? (users.get(id) ?? null) : null },
  };
}

/** Locations that are deleted for good have no name any more. */
export function flappingView(pairs: readonly FlappingPair[], locations: References) {
  return pairs.flatMap(({ location_id: a, other_location_id: b, moves, assets }) => {
    const named = [locations.get(a), locations.get(b)].filter(
      (each): each is Reference => each !== undefined,
    );
    return named.length < 2 ? [] : { locations: named, moves, assets };
  });
}

export function trialView(
  { covered, cutBy, totals, pairs, others, moves, movesLeftOut, worst }: TrialSummary,
  locations: References,
  assets: References,
) {
  const placeOf = (id: number) => locations.get(id) ?? unknown(id);
  // Places by id and times as numbers: there may be 16,000.
  const staysOf = (stays: readonly Stay[]) =>
    stays.map(({ since, locationId }) => [locationId, Math.floor(since / MICROS_PER_MILLISECOND)]);
  const pairView = ({ fromLocationId, toLocationId, ...counts }: Pair) => ({
    from: placeOf(fromLocationId),
    to: placeOf(toLocationId),
    ...countsView(counts),
  });
  return {
    covered: {
      ...{ from: wireTimeOfMicros(covered.from), to: wireTimeOfMicros(covered.to) },
      ...{ scans: covered.scans, assets: covered.assets, of: covered.of, cut_by: cutBy },
    },
    ...countsView(totals),
    pairs: pairs.map(pairView),
    other_pairs: countsView(others),
    moves: moves.map(({ assetId, change, observedAt, fromLocationId, toLocationId }) => ({
      change,
      asset: assets.get(assetId) ?? unknown(assetId),
      at: wireTimeOfMicros(observedAt),
      from: placeOf(fromLocationId),
      to: placeOf(toLocationId),
    })),
    moves_left_out: movesLeftOut,
    assets: worst.map(({ assetId, counts, present, proposed, toldUntil }) => ({
      asset: assets.get(assetId) ?? unknown(assetId),
      ...counts,
      stays: staysOf(present),
      stays_then: staysOf(proposed),
      told_until: toldUntil === null ? null : wireTimeOfMicros(toldUntil),
    })),
    locations: [...locations.values()],
  };
}

/** What a summary names, locations and assets. */
export function idsIn({ pairs, moves, worst }: TrialSummary) {
  return {
    locations: [
      ...[...pairs, ...moves].flatMap(({ fromLocationId, toLocationId }) => [fromLocationId, toLocationId]),
      ...worst.flatMap(({ present, proposed }) =>
        [...present, ...proposed].map(({ locationId }) => locationId),
      ),
    ],
    assets: [...moves, ...worst].map(({ assetId }) => assetId),
  };
}

/** Moves now are those kept, dated anew and removed; then, those kept, dated anew and added. */
function countsView({ kept, redated, removed, added }: PairCounts) {
  return {
    present: kept + redated + removed,
    proposed: kept + redated + added,
    ...{ kept, redated, removed, added },
  };
}

function unknown(id: number): Reference {
  return { id, external_key: String(id), name: String(id) };
}
