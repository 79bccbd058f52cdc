import { expect } from 'chai';
import { sql } from 'slonik';
import type { OrganizationDatabase } from '../../../db/timescale/organization-door.ts';
import { rowsOf } from '../../../db/timescale/row-queries.ts';
import { countInEffect } from '../../../services/api/live-count.ts';
import { inEffect } from '../../../services/api/sql.ts';

const TABLES = { asset: sql.fragment`assets`, location: sql.fragment`locations` };

/** Expects every total of an organization to be what counting its rows in the same statement says. */
export async function expectTotals(organization: OrganizationDatabase): Promise<void> {
  const { orgId } = organization;
  for (const resource of ['asset', 'location'] as const) {
    for (const isActive of [undefined, true, false]) {
      const [row] = await organization.any(sql.type(rowsOf<{ total: number; counted: number }>())`
        select (${countInEffect(orgId, resource, isActive)}) as total, (
          select count(*) from ${TABLES[resource]} item
          where item.org_id = ${orgId} and item.deleted_at is null and ${inEffect('item')}
            and (${isActive ?? null}::boolean is null or item.is_active = ${isActive ?? null})
        ) as counted`);
      const of = `${resource}s of organization ${orgId}, is_active ${isActive}`;
      expect(row?.total, of).to.equal(row?.counted);
    }
  }
}
