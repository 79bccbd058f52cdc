import { AppError } from '../../../base/errors.ts';
import { wireTimeOfMicros, wireTimeOrNull } from '../../../base/timestamps.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { pageOfReaders, type ReaderNow } from '../../../domain/administration/readers/page-of-readers.ts';
import { examineReaders } from '../../../domain/health/readers.ts';
import { examineSilences } from '../../../domain/health/silences.ts';
import { lookUpAsset } from '../../../domain/master-data/assets/queries.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { explanationAsJson } from '../../../domain/tracking/why/as-json.ts';
import { explain, NotSeenYet } from '../../../domain/tracking/why/explain.ts';
import { namesIn } from '../../../domain/tracking/why/names.ts';
import { searchText, timeBound } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { ASSET_ID } from '../items/item-schema.ts';
import { route } from '../serving/context.ts';

/** Reads, locations and antennas of a list in an answer. */
const MOST = 20;
const MOST_READERS = 50;

const why = route({
  ...{ method: 'GET', path: '/mcp/why/{asset_id}', operationId: 'explainAsset', isInternal: true },
  summary: 'Why an asset is where it is, or was at a time',
  scope: 'tracking:read',
  query: { parameters: { at: timeBound } },
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => lookUpAsset(context.db, params.asset_id),
  },
  success: found<object>({ type: 'object' }, 'The scan that decided, and the reads around it'),
  handle: async ({ context: { db, insight }, query: { at }, row, signal }) => {
    const { orgId } = db;
    const asset = { id: row.id, external_key: row.external_key };
    const instant = at === undefined ? null : firstAfter(at) - 1;
    await requirePast(db, instant === null ? {} : { at: instant });
    return insight.run(
      orgId,
      async (installation) => {
        const explanation = await inSnapshot(installation, (client) =>
          explain(client, { orgId, assetId: asset.id }, instant),
        );
        if (explanation instanceof NotSeenYet) {
          const { firstSeen } = explanation;
          return { asset, stay: null, first_seen: firstSeen === null ? null : wireTimeOfMicros(firstSeen) };
        }
        return explanationAsJson(asset, explanation, await namesIn(installation, orgId, explanation), MOST);
      },
      signal(),
    );
  },
});

const readers = route({
  ...{ method: 'GET', path: '/mcp/readers', operationId: 'examineReaders', isInternal: true },
  summary: 'What is wrong with readers, and when each was heard last',
  scope: 'tracking:read',
  query: { parameters: { q: searchText } },
  success: found<object>({ type: 'object' }, 'The findings, and the readers, longest unheard first'),
  handle: ({ context: { db, insight }, query: { q }, signal }) =>
    insight.run(
      db.orgId,
      async (installation) => {
        const page = await pageOfReaders(
          installation,
          db.orgId,
          { q, sort: [{ field: 'last_message_at', isDescending: false }] },
          { limit: MOST_READERS, offset: 0 },
        );
        if (q !== undefined && page.totalCount === 0) {
          throw new AppError('not_found', `No reader has ${q} in its name or topic`);
        }
        const findings = [
          ...(await examineReaders(installation, db.orgId)),
          ...(await examineSilences(installation, db.orgId)),
        ];
        return {
          findings_of_all_readers: findings.map(({ status, message, remedy }) => ({
            status,
            message,
            remedy,
          })),
          readers: page.rows.map(readerView),
          reader_count: page.totalCount,
        };
      },
      signal(),
    ),
});

function readerView(reader: ReaderNow) {
  const { id, name, state, counters, clock, antennas, unplaced } = reader;
  return {
    ...{ id, name, state },
    last_message_at: wireTimeOrNull(reader.lastMessageAt),
    unheard_since: wireTimeOrNull(reader.unheardSince),
    throttled_seconds: Math.round(counters.throttled_ms / 1_000),
    clock_is_wrong: clock?.wrong ?? null,
    clock_behind_seconds: clock?.behind_seconds ?? null,
    antennas_at_no_location: antennas
      .filter((antenna) => antenna.enabled && antenna.location_external_key === null)
      .slice(0, MOST)
      .map((antenna) => antenna.name ?? antenna.device_port ?? antenna.port),
    antennas_not_registered: unplaced.slice(0, MOST).map((antenna) => antenna.name),
  };
}

/** What language models alone ask for; the console has routes of its own. */
export const evidenceRoutes = [why, readers];
