import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { noteMoves } from '../../../../domain/alerts/deriving/derive-organization.ts';
import { KnownSubtrees } from '../../../../domain/alerts/deriving/known-subtrees.ts';
import { newOrganization, newWork } from '../../../../domain/alerts/deriving/organization.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';
import { ruleOf } from '../conditions/rule-of.ts';

const at = (second: number): Micros => second * MICROS_PER_SECOND;

describe('moves that are noted', () => {
  const database = useDatabase();

  it('are asked about by rules about where assets are alone, unless these may be overdue', async () => {
    const site = await Site.create(database);
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const organization = newOrganization();
    const overdue = ruleOf({ ruleId: 'OVERDUE', kind: 'overdue', after: at(30) });
    const forbidden = ruleOf({ ruleId: 'FORBIDDEN', kind: 'not_allowed', locationId: yard });
    organization.rules = {
      ofAssets: new Map([overdue, forbidden].map((rule) => [rule.ruleId, [rule]])),
      ofStays: new Map([['FORBIDDEN', [forbidden]]]),
      ofReaders: new Map(),
    };
    organization.subtrees = new KnownSubtrees([overdue, forbidden]);
    const [unalerted, alerted, late, unknown] = [1, 2, 3, 4] as const;
    for (const id of [unalerted, alerted, late]) {
      organization.inTime.add(id);
    }
    organization.quiet.add(unalerted).add(late);
    const work = newWork();
    const move = (assetId: number, locationId: number, second: number) => ({
      ...{ assetId, since: at(second), until: at(second), isMoved: true, locationIds: [locationId] },
    });
    const moves = [
      ...[move(unalerted, dock, 90), move(alerted, dock, 90), move(late, dock, 60), move(unknown, dock, 90)],
      ...[move(5, yard, 90)],
    ];
    organization.inTime.add(5);
    organization.quiet.add(5);
    await noteMoves(databaseOn(database.pool), site.orgId, organization, work, moves, at(100));
    const looked = (which: 'assets' | 'stays') => work[which].entries().map(([id]) => id);
    expect(looked('assets')).to.deep.equal([late, unknown]);
    expect(looked('stays')).to.deep.equal([alerted, 5]);
    expect(organization.expected.take(at(115), 10)).to.deep.equal(
      [unalerted, alerted, 5].map((id) => ({ id, by: at(120), within: at(30) })),
    );
  });
});
