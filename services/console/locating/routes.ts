import { MICROS_PER_DAY, MICROS_PER_MILLISECOND, MICROS_PER_SECOND } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { removeLocating, setLocating } from '../../../domain/administration/locating/set-locating.ts';
import { userNames } from '../../../domain/administration/users/list-users.ts';
import { requireLiveByKey } from '../../../domain/master-data/by-id-or-key.ts';
import type { Stay } from '../../../domain/tracking/history/history.ts';
import { lackOf, positionSettings } from '../../../domain/tracking/location/position-lacks.ts';
import type { TrialSummary } from '../../../domain/tracking/location/run-trial.ts';
import { type MadeSetting, settingHistory } from '../../../domain/tracking/location/setting-history.ts';
import type { Pair, PairCounts } from '../../../domain/tracking/location/tally-pairs.ts';
import { COMMENT, EventStream, eventText } from '../../../platform/http/event-stream.ts';
import { idInPath, integer } from '../../../platform/http/parameters.ts';
import { toProblem } from '../../../platform/http/problem.ts';
import { found, noContent } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { assetsNamed, locationsNamed, type References } from '../serving/names.ts';
import { actorOfUser } from '../serving/person.ts';
import type { Proposal } from '../serving/proposals.ts';
import { type Reference, referenceOf } from '../serving/schemas.ts';
import type { TrialProgress } from '../serving/trial-thread.ts';
import { MADE_SETTINGS, PROPOSALS, SET, settingBody, TRIAL, trialBody } from './schema.ts';

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locating', operationId: 'listLocating' },
  summary: 'How it is decided where assets are: the settings that were made, newest first',
  description: 'At most `limit`, and those in force whatever their age. Without any, every scan counts.',
  scope: 'tracking:read',
  query: { parameters: { limit: integer({ min: 1, max: 500 }, 100) } },
  success: found(MADE_SETTINGS, 'The settings, with who made them'),
  handle: async ({ context: { db, parts }, query: { limit }, signal }) => {
    const [made, positions] = await parts.insight.run(
      db.orgId,
      async (installation) =>
        [
          await settingHistory(installation, db.orgId, limit),
          await positionSettings(installation, db.orgId),
        ] as const,
      signal(),
    );
    const ids = made.flatMap(({ actor_type: type, actor_id: id }) =>
      type === 'user' && id !== null ? id : [],
    );
    const names = await userNames(parts.people.of(db.orgId), ids);
    return made.map((each) => ({ ...settingView(each, names), position_lacks: lackOf(each, positions) }));
  },
});

const proposals = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locating/proposals', operationId: 'listLocatingProposals' },
  summary: 'Where assets went to and fro within the last day, and what strength would have made of it',
  description: 'Worst first. What is tried is up to 15 minutes old.',
  scope: 'tracking:read',
  success: found(PROPOSALS, 'Areas to decide by strength'),
  handle: async ({ context: { db, parts }, signal }) => {
    const proposed = await parts.proposals.of(db.orgId, signal());
    const ids = proposed.flatMap(({ location_id: id, pair, others }) => [
      ...(id === null ? pair : [id, ...pair]),
      ...others.slice(0, OTHERS_NAMED),
    ]);
    return proposalsView(proposed, await locationsNamed(db, ids));
  },
});

const set = memberRoute({
  ...{ method: 'POST', path: '/console/v1/locating', operationId: 'setLocating' },
  summary:
    'Say how it is decided where assets are, for scans observed from a time on, by default from now on',
  description:
    'Where scans of that time are recorded, histories are decided again. The same as is in force is not stored again.',
  scope: 'locating:admin',
  body: settingBody,
  success: found(SET, 'From when on it holds'),
  problems: {
    not_found: 'No such location',
    conflict: 'The organization has made as many settings as it may',
  },
  handle: async ({ context: { db, parts, session }, body, requestId }) => {
    const { orgId } = db;
    const { locationExternalKey, deciding, from } = body;
    const retention = parts.health.retention.scans * MICROS_PER_DAY;
    const made = await parts.insight.run(orgId, (installation) =>
      setLocating(
        databaseOn(installation),
        actorOfUser(session, requestId),
        { orgId, locationExternalKey, from, ...deciding },
        { retention },
      ),
    );
    return {
      valid_from: wireTimeOfMicros(made.validFrom),
      valid_to: made.until === null ? null : wireTimeOfMicros(made.until),
      is_recomputing: made.isPast,
      position_lacks: made.lacks,
    };
  },
});

const remove = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/locating/{setting_id}', operationId: 'removeLocating' },
  summary: 'Remove a setting that has not begun yet',
  ...{ scope: 'locating:admin', params: { setting_id: idInPath } },
  success: noContent('Removed'),
  problems: { not_found: 'No such setting', conflict: 'It has begun, and stays' },
  handle: ({ context: { db, parts, session }, params: { setting_id: settingId }, requestId }) =>
    parts.insight.run(db.orgId, (installation) =>
      removeLocating(databaseOn(installation), actorOfUser(session, requestId), db.orgId, { settingId }),
    ),
});

const attempt = memberRoute({
  ...{ method: 'POST', path: '/console/v1/locating/trials', operationId: 'tryLocating' },
  summary: 'Try a setting on the scans of a range, as if it had held from its beginning on',
  description:
    'Nothing is stored. Server-sent events: `progress`, then `result` or `problem`. It ends when the caller hangs up.',
  scope: 'locating:admin',
  body: trialBody,
  success: TRIAL,
  problems: { not_found: 'No such location or asset' },
  handle: async ({ context: { db, parts }, body, signal }) => {
    const { orgId } = db;
    const { locationExternalKey: key, assetExternalKey: assetKey, deciding, period } = body;
    const locationId = key === null ? null : await requireLiveByKey(db, 'location', orgId, key);
    const assetId = assetKey === null ? null : await requireLiveByKey(db, 'asset', orgId, assetKey);
    const gone = signal();
    return new EventStream(() =>
      trialEvents(async (onProgress) => {
        const trial = { orgId, locationId, deciding, period, assetId };
        const summary = await parts.trials.run(trial, { signal: gone, onProgress });
        const ids = idsIn(summary);
        const names = await Promise.all([locationsNamed(db, ids.locations), assetsNamed(db, ids.assets)]);
        return trialView(summary, ...names);
      }),
    );
  },
});

export const locatingRoutes = [list, proposals, set, attempt, remove];

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
    ...{ procedure: made.procedure, certainty: made.certainty, tag_dbm: made.tag_dbm },
    tag_kinds: made.tag_kinds,
    ...{ valid_from: wireTimeOfMicros(made.valid_from), state: made.state },
    actor:
      type === null || id === null
        ? null
        : { type, id, name: type === 'user' ? (users.get(id) ?? null) : null },
  };
}

const OTHERS_NAMED = 5;

function proposalsView(proposed: readonly Proposal[], locations: References) {
  const placeOf = (id: number) => locations.get(id) ?? unknown(id);
  return proposed.map(({ location_id: id, pair, moves, returns, others, tried }) => {
    const counts = tried === null ? null : countsView(tried.counts);
    return {
      location: id === null ? null : placeOf(id),
      pair: pair.map(placeOf),
      ...{ moves, returns },
      ...{ others: others.slice(0, OTHERS_NAMED).map(placeOf), others_count: others.length },
      tried:
        tried === null || counts === null
          ? null
          : {
              from: wireTimeOfMicros(tried.period.from),
              to: wireTimeOfMicros(tried.period.to),
              present: counts.present,
              proposed: counts.proposed,
            },
    };
  });
}

function trialView(
  { covered, cutBy, totals, returns, pairs, others, moves, movesLeftOut, worst, walk }: TrialSummary,
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
      most_scans: covered.mostScans,
    },
    ...countsView(totals),
    ...{ returns: returns.present, returns_then: returns.proposed },
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
    walk:
      walk?.map(({ locationId, time, right }) => ({
        location: placeOf(locationId),
        seconds: Math.round(time / MICROS_PER_SECOND),
        right_percent: (100 * right.present) / time,
        right_percent_then: (100 * right.proposed) / time,
      })) ?? null,
    locations: [...locations.values()],
  };
}

/** The locations and assets that a summary names. */
function idsIn({ pairs, moves, worst, walk }: TrialSummary) {
  return {
    locations: [
      ...[...pairs, ...moves].flatMap(({ fromLocationId, toLocationId }) => [fromLocationId, toLocationId]),
      ...worst.flatMap(({ present, proposed }) =>
        [...present, ...proposed].map(({ locationId }) => locationId),
      ),
      ...(walk ?? []).map(({ locationId }) => locationId),
    ],
    assets: [...moves, ...worst].map(({ assetId }) => assetId),
  };
}

/** Moves now: kept, redated and removed ones. Then: kept, redated and added ones. */
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
