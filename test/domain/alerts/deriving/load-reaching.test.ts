import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { loadReaching, sinceOf } from '../../../../domain/alerts/deriving/load-reaching.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

const READS = 20;

describe('an asset whose alerts of one rule end where those of another begin', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 3_600 * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;

  it('is looked at from the last of each on, and not from the first of all', async () => {
    const site = await Site.create(database);
    const { orgId } = site;
    const locations = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader('reader', locations);
    const assetId = await site.asset('PALLET', 'E280');
    const rules: string[] = [];
    for (const locationExternalKey of ['DOCK', 'YARD']) {
      const { id } = await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
        ...{ orgId, kind: 'not_allowed', locationExternalKey, validFrom: at(0) },
      });
      rules.push(id);
    }
    const reads = Array.from({ length: READS }, (_, second) =>
      aRead({ orgId, readerId, value: 'E280', locationId: locations[second % 2] as number, at: at(second) }),
    );
    await record(database, reads);
    await sealAll(database.url);
    const turns = new AlertTurns(database.pool);
    while ((await turns.take()) === 'behind') {}
    const alerts = await database.rows('select from alerts');
    expect(alerts).to.have.lengthOf(READS);

    const last = READS - 1;
    const [reaching] = await inTransaction(database.pool, (transaction) =>
      loadReaching(transaction, { orgId, what: 'asset' }, [{ id: assetId, since: at(last) }], at(0)),
    );
    expect(reaching && sinceOf(reaching)).to.equal(at(last - 1));
    expect(reaching?.sinceByRule).to.deep.equal(new Map([[rules[0], at(last - 1)]]));
  });
});
