import { MICROS_PER_MILLISECOND } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { setSmoothing } from '../../../domain/administration/smoothing/set-smoothing.ts';
import { userNames } from '../../../domain/administration/users/user-names.ts';
import { requireLiveByKey } from '../../../domain/master-data/live-by-key.ts';
import { type FlappingPair, flappingPairs } from '../../../domain/moves/flapping-pairs.ts';
import type { Stay } from '../../../domain/tracking/history/history.ts';
import type { TrialSummary } from '../../../domain/tracking/smoothing/run-trial.ts';
import { type MadeSetting, settingHistory } from '../../../domain/tracking/smoothing/setting-history.ts';
import type { Pair, PairCounts } from '../../../domain/tracking/smoothing/tally-pairs.ts';
import { COMMENT, EventStream, eventText } from '../../../platform/http/event-stream.ts';
import { integer } from '../../../platform/http/parameters.ts';
import { toProblem } from '../../../platform/http/problem.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { assetsNamed, locationsNamed, type References } from '../serving/names.ts';
import { actorOfUser } from '../serving/person.ts';
import { type Reference, referenceOf } from '../serving/reference.ts';
import type { TrialProgress } from '../serving/trial-thread.ts';
import { FLAPPING, MADE_SETTINGS, SET, settingBody, TRIAL, trialBody } from './schema.ts';

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/smoothing', operationId: 'listSmoothing' },
  summary: 'When moves count: the settings that were made, newest first',
  description: 'At most `limit`, and those in force whatever their age. Without any, every scan counts.',
  scope: 'tracking:read',
  query: { parameters: { limit: integer({ min: 1, max: 500 }, 100) } },
  params: {},
  success: found(MADE_SETTINGS, 'The settings, with who made them'),
  handle: async ({ context: { db, parts }, query: { limit }, signal }) => {
    const made = await parts.insight.run(
      db.orgId,
      (installation) => settingHistory(installation, db.orgId, limit),
      signal(),
    );
    const ids = made.flatMap(({ actor_type: type, actor_id: id }) =>
      type === 'user' && id !== null ? id : [],
    );
    const names = await userNames(parts.people, ids);
    return made.map((each) => settingView(each, names));
  },
});

const flapping = memberRoute({
  ...{ method: 'GET', path: '/console/v1/smoothing/flapping', operationId: 'listFlapping' },
  summary: 'Pairs of places between which most moves went there and back within the last day',
  ...{ scope: 'tracking:read', query: NO_QUERY, params: {} },
  success: found(FLAPPING, 'The pairs, worst first'),
  handle: async ({ context: { db }, signal }) => {
    const pairs = await flappingPairs(db.listing({ isBrief: true, signal: signal() }), db.orgId);
    const ids = pairs.flatMap(({ location_id: a, other_location_id: b }) => [a, b]);
    return flappingView(pairs, await locationsNamed(db, ids));
  },
});

const set = memberRoute({
  ...{ method: 'POST', path: '/console/v1/smoothing', operationId: 'setSmoothing' },
  summary: 'Say when moves count, for scans observed from now on',
  description: 'No history changes. The same as is in force is not stored again.',
  ...{ scope: 'smoothing:admin', query: NO_QUERY, params: {} },
  body: settingBody,
  success: found(SET, 'From when on it holds'),
  problems: {
    not_found: 'No such location',
    conflict: 'The organization has made as many settings as it may',
  },
  handle: async ({ context: { db, parts, session }, body, requestId }) => {
    const { orgId } = db;
    const validFrom = await parts.insight.run(orgId, (installation) =>
      setSmoothing(databaseOn(installation), actorOfUser(session, requestId), { orgId, ...body }),
    );
    return { valid_from: wireTimeOfMicros(validFrom) };
  },
});

const attempt = memberRoute({
  ...{ method: 'POST', path: '/console/v1/smoothing/trials', operationId: 'trySmoothing' },
  summary: 'Try a setting on the scans of a range, as if it had always held',
  description:
    'Nothing is stored. Server-sent events: `progress`, then `result` or `problem`. It ends when the caller hangs up.',
  ...{ scope: 'smoothing:admin', query: NO_QUERY, params: {} },
  body: trialBody,
  success: TRIAL,
  problems: { not_found: 'No such location' },
  handle: async ({ context: { db, parts }, body, signal }) => {
    const { orgId } = db;
    const { locationExternalKey: key, smoothing, period } = body;
    const locationId = key === null ? null : await requireLiveByKey(db, 'location', orgId, key);
    const gone = signal();
    return new EventStream(() =>
      trialEvents(async (onProgress) => {
        const trial = { orgId, locationId, smoothing, period, assetId: null };
        const summary = await parts.trials.run(trial, { signal: gone, onProgress });
        const ids = idsIn(summary);
        const names = await Promise.all([locationsNamed(db, ids.locations), assetsNamed(db, ids.assets)]);
        return trialView(summary, ...names);
      }),
    );
  },
});

export const smoothingRoutes = [list, flapping, set, attempt];

/** Milliseconds of silence after which a comment is sent. */
const SILENCE = 5_000;

/**
 * A trial as events: `progress` as often as they are read, and at its end `result` or `problem`.
 *
 * @param run begins it.
 */
async function* trialEvents(
  run: (onProgress: (progress: TrialProgress) => void) => Promise<object>,
): AsyncGenerator<string, void> {
  let id = 0;
  let newest: TrialProgress | null = null;
  let wake = Promise.withResolvers<void>();
  const ending = run((progress) => {
    newest = progress;
    wake.resolve();
  }).then(
    (result) => ({ event: 'result', data: result }),
    (error: unknown) => {
      const { type, message } = toProblem(error);
      return { event: 'problem', data: { type, detail: message } };
    },
  );
  for (;;) {
    const silence = Promise.withResolvers<void>();
    const timer = setTimeout(silence.resolve, SILENCE);
    const end = await Promise.race([ending, wake.promise, silence.promise]);
    clearTimeout(timer);
    if (end !== undefined) {
      yield eventText({ id, ...end });
      return;
    }
    if (newest === null) {
      yield COMMENT;
    } else {
      const { assets, of, until }: TrialProgress = newest;
      newest = null;
      wake = Promise.withResolvers();
      id += 1;
      yield eventText({ id, event: 'progress', data: { assets, of, until: wireTimeOfMicros(until) } });
    }
  }
}

function settingView(made: MadeSetting, users: ReadonlyMap<string, string>) {
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
function flappingView(pairs: readonly FlappingPair[], locations: References) {
  return pairs.flatMap(({ location_id: a, other_location_id: b, moves, assets }) => {
    const named = [locations.get(a), locations.get(b)].filter(
      (each): each is Reference => each !== undefined,
    );
    return named.length < 2 ? [] : { locations: named, moves, assets };
  });
}

function trialView(
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
function idsIn({ pairs, moves, worst }: TrialSummary) {
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
