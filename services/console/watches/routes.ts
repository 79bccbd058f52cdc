import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { setWatch } from '../../../domain/administration/watches/set-watch.ts';
import { findLiveByKey } from '../../../domain/master-data/by-id-or-key.ts';
import {
  countWatched,
  listWatches,
  type StoredWatch,
} from '../../../domain/presence/coverage/stored-watches.ts';
import { listMeasuredKinds } from '../../../domain/tracking/tag-readings.ts';
import { anyOf, idFilter, keyFilter } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { MEASURED, WATCH, WATCHED, WATCHES, watchBody } from './schema.ts';

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/watches', operationId: 'listWatches' },
  summary: 'How locations are watched now',
  description: 'Of the named locations, those whose watch was ever set; the others are portals.',
  scope: 'tracking:read',
  query: { parameters: { location_id: anyOf(idFilter), external_key: anyOf(keyFilter) } },
  success: found(WATCHES, 'The watches'),
  handle: async ({ context: { db }, query: { location_id: ids = [], external_key: keys = [] } }) =>
    (await listWatches(db, db.orgId, { ids, keys })).map((watch) => ({
      ...{ location_id: watch.location_id, external_key: watch.location_external_key },
      ...watchView(watch),
    })),
});

const count = memberRoute({
  ...{ method: 'GET', path: '/console/v1/watches/counts', operationId: 'countWatched' },
  summary: 'How many locations are watched continuously, at one and within it or in all',
  ...{ scope: 'tracking:read', query: { parameters: { external_key: keyFilter } } },
  success: found(WATCHED, 'The counts'),
  handle: async ({ context: { db, parts }, query: { external_key: key } }) => {
    const within = key === undefined ? null : await findLiveByKey(db, 'location', db.orgId, key);
    return key !== undefined && within === null
      ? { continuous: 0, with_antennas: 0 }
      : parts.insight.run(db.orgId, (installation) => countWatched(installation, db.orgId, within));
  },
});

const measured = memberRoute({
  ...{ method: 'GET', path: '/console/v1/watches/measured', operationId: 'listMeasuredKinds' },
  summary: 'What tags have measured: a rule about anything else raises nothing',
  scope: 'tracking:read',
  success: found(MEASURED, 'The kinds of values'),
  handle: ({ context: { db }, signal }) =>
    listMeasuredKinds(db.listing({ isBrief: true, signal: signal() }), db.orgId),
});

const set = memberRoute({
  ...{ method: 'POST', path: '/console/v1/watches', operationId: 'setWatch' },
  summary: 'Say how a location is watched from now on; earlier answers do not change',
  scope: 'locating:admin',
  body: watchBody,
  success: found(WATCH, 'How it is watched'),
  problems: { not_found: 'No such location', conflict: 'It was set as often as it may be' },
  handle: async ({ context: { db, parts, session }, body, requestId }) => {
    const { location_external_key: locationExternalKey, mode, max_gap_seconds: gap = null } = body;
    const maxGap = gap === null ? null : gap * MICROS_PER_SECOND;
    const wanted = { orgId: db.orgId, locationExternalKey, mode, maxGap, coverage: body.coverage ?? 'all' };
    return watchView(
      await parts.insight.run(db.orgId, (installation) =>
        setWatch(databaseOn(installation), actorOfUser(session, requestId), wanted),
      ),
    );
  },
});

export const watchRoutes = [list, count, measured, set];

function watchView({ mode, max_gap_seconds, is_learned, coverage, valid_from }: StoredWatch) {
  return { mode, max_gap_seconds, is_learned, coverage, valid_from: wireTimeOfMicros(valid_from) };
}
