import { append } from '../../../base/append.ts';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { type Page, pageOf } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type ExportedAssets, pagesOfAssets } from '../../master-data/imports/ids-by-filters.ts';
import type { Presence } from '../../presence/coverage/state-of.ts';
import { namesAssets } from '../asset-filters.ts';
import { requirePast } from '../require-past.ts';
import { deriveStates } from './derive-states.ts';
import { presenceRows, type SeenAsset, type WantedAssets } from './presence-rows.ts';

export interface PresenceFilters extends WantedAssets {
  /** Only these; undefined for all. */
  state?: readonly Presence['state'][] | undefined;
}

export type PresenceRow = Omit<SeenAsset, 'entered_at'> & {
  presence: Presence;
  /** The reader in `because`. */
  readerName: string | null;
};

/** Assets whose states are derived for a page of some states, at most. */
export const MOST_ASSETS = 50_000;

const TOO_MUCH =
  'needs too much evidence of readers and sweeps for so many locations; name assets or locations, or ask for smaller pages';

/**
 * A page of assets with their states at an instant. Without `state` only the states on the page are derived; with it
 * those of all assets that the other filters leave.
 *
 * @throws Invalid if these are more than {@link MOST_ASSETS}, or there is too much evidence.
 */
export async function listPresence(
  db: OrganizationDatabase,
  at: Micros,
  filters: PresenceFilters,
  signal?: AbortSignal,
): Promise<Page<PresenceRow>> {
  const list = db.listing({ isBrief: namesAssets(filters), isWhole: true, signal });
  const { state: wanted, limit, offset, after } = filters;
  const everyone = { limit: MOST_ASSETS, offset: 0, after: after === undefined ? undefined : 0 };
  const { rows, totalCount } = pageOf(
    await list.any(presenceRows(db.orgId, at + 1, { ...filters, ...(wanted === undefined ? {} : everyone) })),
  );
  if (wanted !== undefined && totalCount > MOST_ASSETS) {
    throw invalid([
      invalidValue(
        'state',
        `would have to be derived for ${totalCount} assets; the maximum is ${MOST_ASSETS}; name assets or locations`,
      ),
    ]);
  }
  const states = await deriveStates(list, at, rows).catch((error: unknown) => {
    throw error instanceof TooMuchWork
      ? invalid([invalidValue(wanted === undefined ? 'at' : 'state', TOO_MUCH)])
      : error;
  });
  const derived = rows.map((row, index) => ({ row, presence: states[index] as Presence }));
  const chosen =
    wanted === undefined ? derived : derived.filter(({ presence }) => wanted.includes(presence.state));
  const left = chosen.filter(({ row }) => row.id > (after ?? 0));
  const page = wanted === undefined ? chosen : left.slice(offset, offset + limit);
  const names = await readerNames(
    list,
    db.orgId,
    page.flatMap(({ presence }) => readerIn(presence)),
  );
  return {
    rows: page.map(({ row, presence }) => ({
      ...row,
      presence,
      readerName: names.get(readerIn(presence)[0] ?? 0) ?? null,
    })),
    totalCount: wanted === undefined ? totalCount : chosen.length,
  };
}

export interface AskedStates {
  state?: readonly Presence['state'][] | undefined;
}

/**
 * Filters of a list of assets with the ids of the live ones that are in one of the states now, in place of the states.
 *
 * @throws Invalid if the other filters leave more assets than states are derived for.
 */
export async function inStates<Filters extends ExportedAssets & AskedStates>(
  db: OrganizationDatabase,
  { state, ...filters }: Filters,
  signal: AbortSignal,
): Promise<Omit<Filters, 'state'> & { id?: readonly number[] | undefined }> {
  if (state === undefined) {
    return filters;
  }
  const others = filters as Omit<Filters, 'state'> & ExportedAssets;
  const ids: number[] = [];
  for await (const page of pagesOfAssets(db, others, signal)) {
    append(ids, page);
    if (ids.length > MOST_ASSETS) {
      const rule = `would have to be derived for more than ${MOST_ASSETS} assets; narrow them by other filters`;
      throw invalid([invalidValue('state', rule)]);
    }
  }
  const everyone = { sort: [], limit: MOST_ASSETS, offset: 0, include_descendants: false };
  const wanted = { ...everyone, asset_id: ids, state, include_deleted: false, include_not_in_effect: true };
  const { rows } = await listPresence(db, await requirePast(db, {}), wanted, signal);
  return { ...filters, id: rows.map(({ id }) => id) };
}

function readerIn({ because }: Presence): number[] {
  return because !== null && 'readerId' in because ? [because.readerId] : [];
}

async function readerNames(
  db: Connection,
  orgId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.type(rowsOf<{ id: number; name: string }>())`
    select id, name from readers where org_id = ${orgId} and id = any (${sql.array([...new Set(ids)], 'int4')})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
