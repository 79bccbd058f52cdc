import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import type { DatedRule } from '../../../../domain/alerts/rules/rule.ts';
import { MOST_RAISED } from '../../../../domain/alerts/stored/room.ts';
import { assetSubject, storeDifferences } from '../../../../domain/alerts/stored/store-alerts.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';

/** More than fit the stack as arguments of one call. */
const MANY = 300_000;

describe('storing alerts', () => {
  const database = useDatabase();
  const begin = Date.now() * 1_000 - MANY * MICROS_PER_SECOND;
  const at = (second: number): Micros => begin + second * MICROS_PER_SECOND;

  it('takes any number in one batch, raises as many as it may and notes since when others are missing', async () => {
    const site = await Site.create(database);
    await site.location('YARD');
    const assetId = await site.asset('PALLET', 'E280');
    const { id: ruleId } = await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId: site.orgId, validFrom: at(0) },
      ...{ kind: 'not_allowed', locationExternalKey: 'YARD', name: 'Yard' },
    });
    const rule = { ruleId, from: at(0), name: 'Yard', kind: 'not_allowed' } as DatedRule;
    const opened = Array.from({ length: MANY }, (_, second) => ({
      ...{ since: at(second), until: at(second) + 1, level: null, alarmSince: null },
      ...{ locationId: null, because: '{}' },
    }));
    const subject = assetSubject(assetId);
    await inTransaction(database.pool, (transaction) =>
      storeDifferences(transaction, [
        { orgId: site.orgId, subject, versions: [rule], opened, changed: [], withdrawn: [] },
      ]),
    );
    const [{ raised, last } = {}] = await database.rows(
      `select count(*) as raised, max(micros_of_time(opened_at))::float8 as last from alerts where org_id = $1`,
      [site.orgId],
    );
    expect(Number(raised)).to.equal(MOST_RAISED / 2);
    const floods = await database.rows(
      'select rule_ids, micros_of_time(since)::float8 as since from alert_floods where org_id = $1',
      [site.orgId],
    );
    expect(floods).to.deep.equal([{ rule_ids: [ruleId], since: Number(last) + MICROS_PER_SECOND }]);
  });
});
