import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { HeardTag } from '../../../domain/listening/heard.ts';
import type { HeardByAll } from '../../../domain/listening/merge-heard.ts';
import { listenedFor, wantReads } from '../../../domain/listening/wanted.ts';
import { findWhereabouts } from '../../../domain/master-data/assets/whereabouts.ts';
import { EventStream, eventText } from '../../../platform/http/event-stream.ts';
import { enterAll } from '../../../platform/http/open-streams.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { route } from '../serving/context.ts';

interface Place {
  id: number;
  external_key: string;
  name: string;
}

/** For the app: which antennas hear an asset, and how strongly. Its end is that of the connection. */
export const listen = route({
  method: 'GET',
  path: '/handheld/v1/assets/{asset_id}/listen',
  operationId: 'listenForHandheldAsset',
  summary: 'Where fixed readers hear an asset, the last 30 seconds, twice a second',
  scope: null,
  isInternal: true,
  params: { asset_id: idInPath },
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => findWhereabouts(context.db, params.asset_id),
  },
  success: {
    ...{ status: 200, description: 'Server-sent events, until either side ends it' },
    ...{ schema: { type: 'string' }, headers: {} },
    present: (stream: EventStream) => ({ body: stream }),
  },
  problems: { unavailable: 'Too many listen' },
  handle: async ({ context, row, signal, confirm }) => {
    const { db, orgId, handheldId, hearing, listeners } = context;
    const leave = enterAll(
      () => listeners.ofHandheld.enter(handheldId),
      () => listeners.ofOrganization.enter(orgId),
    );
    const listened = listenedFor(orgId, JSON.parse(row.tags));
    const pieces = hearing.listen({ listened, signal: signal(), want: () => wantReads(db, listened) });
    return new EventStream(() => streamHeard(db, pieces, confirm), { onClose: leave });
  },
});

async function* streamHeard(
  db: OrganizationDatabase,
  pieces: AsyncIterable<HeardByAll>,
  confirm: () => Promise<void>,
): AsyncGenerator<string, void> {
  const places = new Map<number, Place | null>();
  let id = 0;
  try {
    for await (const heard of pieces) {
      await findPlaces(db, heard.tags, places);
      await confirm();
      id += 1;
      yield eventText({ id, event: 'heard', data: heardView(heard, places) });
    }
  } catch {
    // The answer has begun, so all that is left is to end it; the listener learns why on coming back.
  }
}

/** Null while no process of ingestion listens: then it is not known that no reader hears it. */
function heardView({ tags, sources }: HeardByAll, places: ReadonlyMap<number, Place | null>) {
  const now = Date.now();
  const reads = tags.map(({ rssi, count, at, locationId }) => ({
    ...{ location: places.get(locationId ?? 0) ?? null, rssi, count },
    // The device's clock may be wrong.
    seconds_ago: Math.max(0, Math.round((now - at) / 100) / 10),
  }));
  return { reads: sources === 0 ? null : reads };
}

async function findPlaces(
  db: OrganizationDatabase,
  tags: readonly HeardTag[],
  places: Map<number, Place | null>,
): Promise<void> {
  const ids = tags.flatMap(({ locationId: id }) => (id != null && !places.has(id) ? [id] : []));
  if (ids.length > 0) {
    const rows = await db.any(sql.type(rowsOf<Place>())`
      select id, external_key, name from locations
      where org_id = ${db.orgId} and id = any(${sql.array(ids, 'int4')}) and deleted_at is null`);
    for (const id of ids) {
      places.set(id, rows.find((row) => row.id === id) ?? null);
    }
  }
}
