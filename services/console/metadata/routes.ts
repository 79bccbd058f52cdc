import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { listOf, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

/** Assets that are looked through, those changed last. */
const MOST_ASSETS = 500;
/** Bytes of metadata of each, as stored: programs may keep a megabyte. */
const MOST_BYTES = 2_000;
const MOST_NAMES = 50;
const MOST_VALUES = 20;

const names = memberRoute({
  ...{ method: 'GET', path: '/console/v1/metadata-fields', operationId: 'listMetadataFields' },
  summary: 'Names of metadata, and values of each, that assets changed lately have',
  description: 'Suggestions while metadata is edited. The most frequent come first.',
  scope: 'assets:read',
  success: found(
    listOf(objectOf({ name: TEXT_SCHEMA, values: listOf(TEXT_SCHEMA) })),
    'Names and their values',
  ),
  handle: ({ context: { db }, signal }) => metadataFields(db, signal()),
});

export const metadataRoutes = [names];

interface FieldRow {
  name: string;
  values: string[];
}

function metadataFields(db: OrganizationDatabase, signal: AbortSignal): Promise<readonly FieldRow[]> {
  return db.listing({ isBrief: false, signal }).any(sql.type(rowsOf<FieldRow>())`
    with lately as materialized (
      select metadata from assets
      where org_id = ${db.orgId} and updated_at is not null
      order by updated_at desc limit ${MOST_ASSETS}
    ),
    used as (
      select field.key as name, field.value #>> '{}' as value, count(*) as uses
      from lately cross join lateral json_each(metadata) field
      where pg_column_size(metadata) <= ${MOST_BYTES} and char_length(field.key) between 1 and 100
        and json_typeof(field.value) in ('string', 'number', 'boolean')
        and char_length(field.value #>> '{}') between 1 and 100
      group by 1, 2
    )
    select name, (array_agg(value order by uses desc, value))[:${MOST_VALUES}::integer] as values
    from used group by name order by sum(uses) desc, name limit ${MOST_NAMES}`);
}
