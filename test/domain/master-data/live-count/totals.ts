import { expect } from 'chai';
import type { OrganizationDatabase } from '../../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import { inEffect } from '../../../../domain/master-data/clauses.ts';
import { countInEffect, countLive } from '../../../../domain/master-data/live-count.ts';

const TABLES = { asset: sql.fragment`assets`, location: sql.fragment`locations` };

/** Expects every total of an organization to be what counting its rows in the same statement says. */
export async function expectTotals(organization: OrganizationDatabase): Promise<void> {
  const { orgId } = organization;
  for (const resource of ['asset', 'location'] as const) {
    for (const isActive of [undefined, true, false]) {
      const items = sql.fragment`${TABLES[resource]} item
        where item.org_id = ${orgId} and item.deleted_at is null
          and (${isActive ?? null}::boolean is null or item.is_active = ${isActive ?? null})`;
      const [row] = await organization.any(sql.type(rowsOf<Record<'effective' | 'live', number[]>>())`
        select array[
            (${countInEffect(orgId, resource, isActive)}), (select count(*) from ${items} and ${inEffect('item')})
          ] as effective,
          array[(${countLive(orgId, resource, isActive)}), (select count(*) from ${items})] as live`);
      const of = `${resource}s of organization ${orgId}, is_active ${isActive}`;
      for (const [total, counted] of [row?.effective ?? [0, 1], row?.live ?? [0, 1]]) {
        expect(total, of).to.equal(counted);
      }
    }
  }
}
