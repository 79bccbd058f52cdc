import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { findHeard, hearAgain, mayBeHeard } from '../../../../domain/alerts/deriving/hear-again.ts';
import {
  mayChange,
  newOrganization,
  type Organization,
} from '../../../../domain/alerts/deriving/organization.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';

describe('organizations of which assets wait for readers', () => {
  const database = useDatabase();
  const now = Date.now() * 1_000;
  const ago = (seconds: number): Micros => now - seconds * MICROS_PER_SECOND;

  const waiting = async (name: string) => {
    const site = await Site.create(database);
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const [near, far] = [await site.reader(`near-${name}`, [dock]), await site.reader(`far-${name}`, [yard])];
    const asset = await site.asset('PALLET', `E280${name}`);
    const organization: Organization = { ...newOrganization(), isRevised: false, lookedUpTo: null };
    const listenedFor = Number.POSITIVE_INFINITY;
    organization.unheard.set(
      asset,
      [{ locationId: dock, provenUntil: now, listenedFor, isOver: false }],
      now,
    );
    return { orgId: site.orgId, dock, near, far, organization };
  };
  const hear = (orgId: number, readerId: number, at: Micros) =>
    database.rows(
      `insert into reader_counters (org_id, reader_id, heard_since, heard_until, heard_messages)
       values ($1, $2, time_of_micros($3), time_of_micros($3), 1)`,
      [orgId, readerId, at],
    );

  it('are visited where a reader was heard that matters to them, and else once a minute', async () => {
    const [silent, heard, elsewhere] = [await waiting('1'), await waiting('2'), await waiting('3')];
    await hear(silent.orgId, silent.near, ago(30));
    await hear(heard.orgId, heard.near, ago(3));
    await hear(elsewhere.orgId, elsewhere.far, ago(3));
    const all = [silent, heard, elsewhere];
    const organizations = new Map(all.map(({ orgId, organization }) => [orgId, organization]));
    const db = databaseOn(database.pool);
    const found = await findHeard(db, organizations, now);
    expect(found).to.deep.equal(new Map([[heard.orgId, new Set([heard.dock])]]));
    const visited = (at: Micros) =>
      all.filter(
        ({ orgId, organization }) =>
          mayBeHeard(organization, found.get(orgId), at) || mayChange(organization, at),
      );
    expect(visited(now)).to.deep.equal(all);
    for (const { orgId, organization } of all) {
      await hearAgain(db, orgId, organization, found.get(orgId), now);
    }
    expect(visited(now + MICROS_PER_SECOND)).to.deep.equal([heard]);
    expect(visited(now + 61 * MICROS_PER_SECOND)).to.deep.equal(all);
  });
});
