import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LIVE_READERS } from '../../administration/live-readers.ts';
import { measuringTags } from '../conditions/load-measured.ts';
import { type DatedRule, isOfReadings } from '../rules/rule.ts';

/** A live asset or reader that a rule may apply to. */
export interface Subject {
  id: number;
  /** External key of an asset, name of a reader. */
  name: string;
}

/** In order of ids, without assets that were never seen. */
export function nextSubjects(
  db: Connection,
  rule: DatedRule,
  after: number,
  limit: number,
): Promise<readonly Subject[]> {
  return db.any(sql.type(rowsOf<Subject>())`
    ${subjectsOf(rule, after)} order by id limit ${limit}`);
}

export async function countSubjects(db: Connection, rule: DatedRule): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) as count from (${subjectsOf(rule, 0)}) subject`);
  return count;
}

function subjectsOf({ orgId, kind, selection }: DatedRule, after: number): FragmentSqlToken {
  const { assetIds, readerIds } = selection;
  return kind === 'reader'
    ? sql.fragment`
      select reader.id, reader.name from ${LIVE_READERS}
      where reader.org_id = ${orgId} and reader.id > ${after} and ${among(sql.fragment`reader.id`, readerIds)}`
    : sql.fragment`
      select asset.id, asset.external_key as name from assets asset
      where asset.org_id = ${orgId} and asset.deleted_at is null and asset.id > ${after}
        and ${among(sql.fragment`asset.id`, assetIds)}
        and ${
          isOfReadings({ kind })
            ? sql.fragment`exists (select from ${measuringTags(orgId)} where tag.asset_id = asset.id)`
            : sql.fragment`exists (select from positions where org_id = ${orgId} and asset_id = asset.id)`
        }`;
}

function among(id: FragmentSqlToken, ids: readonly number[] | null): FragmentSqlToken {
  return ids === null ? sql.fragment`true` : sql.fragment`${id} = any (${sql.array(ids, 'int4')})`;
}
