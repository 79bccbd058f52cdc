import type { JsonSchema } from '../../../base/checks/fields.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { setSmoothing } from '../../../domain/administration/smoothing/set-smoothing.ts';
import { userNames } from '../../../domain/administration/users/user-names.ts';
import { requireLiveByKey } from '../../../domain/master-data/live-by-key.ts';
import { flappingPairs } from '../../../domain/moves/flapping-pairs.ts';
import { settingHistory } from '../../../domain/tracking/smoothing/setting-history.ts';
import { EventStream } from '../../../platform/http/event-stream.ts';
import { integer } from '../../../platform/http/parameters.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found, type Success } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { assetsNamed, locationsNamed } from '../serving/names.ts';
import { actorOfUser } from '../serving/person.ts';
import { FLAPPING, MADE_SETTINGS, SET, settingBody, trialBody } from './schema.ts';
import { trialEvents } from './trial-events.ts';
import { flappingView, idsIn, settingView, trialView } from './view.ts';

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

const TEXT: JsonSchema = { type: 'string' };

const STREAM: Success<EventStream> = {
  ...{
    status: 200,
    description: 'Events, the last of them `result` or `problem`',
    schema: TEXT,
    headers: {},
  },
  present: (body) => ({ body }),
};

const attempt = memberRoute({
  ...{ method: 'POST', path: '/console/v1/smoothing/trials', operationId: 'trySmoothing' },
  summary: 'Try a setting on the scans of a range, as if it had always held',
  description:
    'Nothing is stored. Server-sent events: `progress`, then `result` or `problem`. It ends when the caller hangs up.',
  ...{ scope: 'smoothing:admin', query: NO_QUERY, params: {} },
  body: trialBody,
  success: STREAM,
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
