import { setTimeout } from 'node:timers/promises';
import { append } from '../../../base/append.ts';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { readMoves } from '../../../domain/moves/read-moves.ts';
import { listPresence } from '../../../domain/reports/presence/list-presence.ts';
import { type AssetAnswer, askApi } from '../../../simulation/answers.ts';
import { ApiError, createApiClient } from '../../../simulation/api-client.ts';
import { milliseconds } from '../../../simulation/encoders/encoder.ts';
import type { FeedPage } from '../../../simulation/feed-event.ts';
import { FeedFold } from '../../../simulation/feed-fold.ts';
import { askAlerts, askPresence } from '../../../simulation/presence/ask-presence.ts';
import type { AlertAnswer } from '../../../simulation/presence/compare-alerts.ts';
import { comparedInstants, type PresenceAnswer } from '../../../simulation/presence/compare-presence.ts';
import type { HistoryRow } from '../../../simulation/truth/asset-record.ts';
import type { TruthDocument } from '../../../simulation/truth/document.ts';
import { NO_COUNTS, type ReaderCounts } from '../../../simulation/truth/reader-truth.ts';
import { withConnections, withOrganization } from '../connections/database.ts';
import { type Answer, type CheckResult, check, isAgreed } from './check.ts';
import { siteVersion } from './read-world.ts';

export interface CheckOptions {
  orgId: number;
  api: { url: string; key: string } | null;
  /** Seconds to wait for an installation to catch up. */
  wait: number;
  show(text: string): void;
}

/** @throws AppError `unavailable` if the installation does not answer. */
export function checkInstallation(truth: TruthDocument, options: CheckOptions): Promise<CheckResult> {
  const { api, orgId } = options;
  const keys = truth.assets.map(({ asset }) => asset);
  const instants = truth.presence == null ? [] : comparedInstants(truth.presence);
  const { overdue, reader } = truth.presence?.rules ?? {};
  const rules = [overdue, reader].flatMap((rule) => rule?.id ?? []);
  const fold = new FeedFold();
  if (api !== null) {
    return untilAgreed(truth, options, () =>
      askFromOutside(api, { keys, instants, rules, fold, show: options.show }),
    );
  }
  const names = truth.readers.map(({ reader }) => reader);
  return withOrganization(orgId, (db) =>
    withConnections(({ pool }) =>
      untilAgreed(truth, options, async () => ({
        assets: await storedRecords(pool, orgId, keys),
        readers: await storedCounts(pool, orgId, names),
        feed: (await fold.catchUp((after) => storedMoves(db, after))) ? fold : null,
        siteVersion: await siteVersion(pool, orgId),
        presence: await atEach(instants, (at) => storedPresence(db, new Set(keys), at)),
        alerts: await storedAlerts(pool, orgId, rules),
      })),
    ),
  );
}

async function atEach<Answered>(
  instants: readonly number[],
  ask: (at: number) => Promise<Answered>,
): Promise<ReadonlyMap<number, Answered>> {
  const answers = new Map<number, Answered>();
  for (const at of instants) {
    answers.set(at, await ask(at));
  }
  return answers;
}

async function untilAgreed(
  truth: TruthDocument,
  { wait }: CheckOptions,
  ask: () => Promise<Answer>,
): Promise<CheckResult> {
  const begun = performance.now();
  for (;;) {
    const result = check(truth, await ask());
    const { differences, feed_differences: further, presence } = result;
    const patience = Math.max(
      differences.length + (presence?.differences.length ?? 0) > 0
        ? 0
        : Math.min(further.length, 1) * SEALED_WITHIN,
      wait * 1_000,
    );
    if (isAgreed(result) || performance.now() - begun >= patience) {
      return result;
    }
    await setTimeout(PAUSE);
  }
}

async function askFromOutside(
  { url, key }: { url: string; key: string },
  {
    keys,
    instants,
    rules,
    fold,
    show,
  }: {
    keys: readonly string[];
    instants: readonly number[];
    rules: readonly string[];
    fold: FeedFold;
    show: (text: string) => void;
  },
): Promise<Answer> {
  const asked = new Set(keys);
  const api = createApiClient(url.replace(/\/+$/, ''), key);
  try {
    const assets = await askApi(
      api,
      (asset) => asked.has(asset),
      (count) => show(`${count} of ${keys.length} assets`),
    );
    const isWhole = await fold.catchUp((after) => {
      show(`${after} events of the feed`);
      return api.moves(after);
    });
    const presence = await atEach(instants, (at) => askPresence(api, at));
    const alerts = rules.length === 0 ? null : await askAlerts(api, rules);
    return { assets, readers: null, feed: isWhole ? fold : null, siteVersion: undefined, presence, alerts };
  } catch (error) {
    if (error instanceof ApiError) {
      throw new AppError('unavailable', error.message, { cause: error });
    }
    throw error;
  }
}

/** Milliseconds. */
const PAUSE = 1_000;

/** Milliseconds after which an event is in the feed, even if another process has to take over the sealing. */
const SEALED_WITHIN = 6_000;

interface AlertRow {
  rule: string;
  of: string;
  state: AlertAnswer['state'];
  opened_at: Micros;
  recorded_at: Micros;
  closed_at: Micros | null;
  is_missing: boolean;
}

/** All alerts of some rules, including withdrawn ones. */
async function storedAlerts(db: Connection, orgId: number, rules: readonly string[]): Promise<AlertAnswer[]> {
  const rows = await db.any(sql.type(rowsOf<AlertRow>())`
    select alert.rule_id as rule, coalesce(asset.external_key, reader.name) as of, alert.state,
      micros_of_time(alert.opened_at) as opened_at, micros_of_time(alert.recorded_at) as recorded_at,
      micros_of_time(alert.closed_at) as closed_at, coalesce(alert.because ->> 'state' = 'missing', false) as is_missing
    from alerts alert
    left join assets asset on asset.org_id = alert.org_id and asset.id = alert.asset_id
    left join readers reader on reader.org_id = alert.org_id and reader.id = alert.reader_id
    where alert.org_id = ${orgId} and alert.rule_id = any (${sql.array(rules, 'text')})
    order by alert.opened_at, alert.id`);
  const milliseconds = (at: Micros) => Math.floor(at / MICROS_PER_MILLISECOND);
  return rows.map((row) => ({
    ...{ rule: row.rule, of: row.of, state: row.state, isMissing: row.is_missing },
    openedAt: milliseconds(row.opened_at),
    recordedAt: milliseconds(row.recorded_at),
    closedAt: row.closed_at === null ? null : milliseconds(row.closed_at),
  }));
}

/** The events after a position of the feed; null if they are gone. */
async function storedMoves(db: OrganizationDatabase, after: number): Promise<FeedPage | null> {
  const { events, head, oldest } = await readMoves(db, { after, limit: PAGE });
  return after < oldest - 1 ? null : { events, head };
}

const PAGE = 1_000;

/** The report's rows for assets with these keys. @param at milliseconds since 1970. */
async function storedPresence(
  db: OrganizationDatabase,
  keys: ReadonlySet<string>,
  at: number,
): Promise<PresenceAnswer[]> {
  const answers: PresenceAnswer[] = [];
  for (let offset = 0; ; offset += PRESENCE_PAGE) {
    const { rows, totalCount } = await listPresence(db, at * MICROS_PER_MILLISECOND, {
      ...{ include_not_in_effect: true, include_deleted: false, include_descendants: false },
      ...{ sort: [{ field: 'asset_external_key', isDescending: false }], limit: PRESENCE_PAGE, offset },
    });
    append(
      answers,
      rows
        .filter(({ external_key: key }) => keys.has(key))
        .map(({ external_key: asset, presence, readerName: reader }) => ({
          ...{ asset, state: presence.state, reader },
          since: presence.since === null ? null : Math.floor(presence.since / MICROS_PER_MILLISECOND),
        })),
    );
    if (offset + PRESENCE_PAGE >= totalCount) {
      return answers;
    }
  }
}

const PRESENCE_PAGE = 1_000;

interface PositionRow {
  id: number;
  asset: string;
  location: string | null;
  last_seen: number | null;
}

interface TransitionRow {
  asset: string;
  at: number;
  location: string;
  duration_seconds: number | null;
}

async function storedRecords(db: Connection, orgId: number, keys: readonly string[]): Promise<AssetAnswer[]> {
  const positions = await db.any(sql.type(rowsOf<PositionRow>())`
    select asset.id, asset.external_key as asset, location.external_key as location,
      micros_of_time(position.last_seen) as last_seen
    from assets asset
    left join positions position on position.org_id = asset.org_id and position.asset_id = asset.id
    left join locations location on location.org_id = position.org_id and location.id = position.location_id
      and location.deleted_at is null
    where asset.org_id = ${orgId} and asset.external_key = any(${sql.array(keys, 'text')}) and asset.deleted_at is null`);
  const transitions = await db.any(sql.type(rowsOf<TransitionRow>())`
    select asset.external_key as asset, micros_of_time(transition.observed_at) as at,
      location.external_key as location, transition.duration_seconds
    from assets asset
    join location_transitions transition
      on transition.org_id = asset.org_id and transition.asset_id = asset.id
    join locations location
      on location.org_id = transition.org_id and location.id = transition.location_id
    where asset.org_id = ${orgId} and asset.external_key = any(${sql.array(keys, 'text')}) and asset.deleted_at is null
    order by asset.external_key, transition.observed_at`);
  const histories = Map.groupBy(transitions, ({ asset }) => asset);
  return positions.map(({ id, asset, location, last_seen: lastSeen }) => ({
    id,
    asset,
    current: lastSeen === null ? null : { location, lastSeen: milliseconds(lastSeen) },
    history: (histories.get(asset) ?? []).map(
      (row): HistoryRow => ({
        at: milliseconds(row.at),
        location: row.location,
        durationSeconds: row.duration_seconds,
      }),
    ),
  }));
}

type CountsRow = { name: string } & { [K in keyof ReaderCounts]: number | null };

export async function storedCounts(
  db: Connection,
  orgId: number,
  names: readonly string[],
): Promise<Map<string, ReaderCounts>> {
  const rows = await db.any(sql.type(rowsOf<CountsRow>())`
    select reader.name, counters.messages, counters.messages_rejected, counters.reads, counters.recorded,
      counters.duplicates, counters.unknown, counters.unplaced, counters.rejected, counters.ignored
    from readers reader
    left join reader_counters counters on counters.org_id = reader.org_id and counters.reader_id = reader.id
    where reader.org_id = ${orgId} and reader.name = any(${sql.array(names, 'text')}) and reader.deleted_at is null
    order by reader.id`);
  return new Map(
    rows.map(({ name, ...counters }) => {
      const known = Object.entries(counters).filter(([, count]) => count !== null);
      return [name, { ...NO_COUNTS, ...Object.fromEntries(known) }];
    }),
  );
}
