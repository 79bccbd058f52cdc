import { expect } from 'chai';
import { Registry } from 'prom-client';
import { AlertTurns } from '../../domain/alerts/deriving/take-turn.ts';
import { measureAlerts } from '../../services/worker/jobs/derive-alerts.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

describe('the metrics of alerts', () => {
  const database = useDatabase();

  it('count those that are not over, and say whether they are derived, by whom, and of whom and what not', async () => {
    const registry = new Registry();
    const turns = new AlertTurns(database.pool);
    measureAlerts(registry, () => turns.firstLooks, database.pool);
    const values = async () => {
      const all = await registry.getMetricsAsJSON();
      return Object.fromEntries(
        all.flatMap(({ name, values: each }) =>
          each.map(({ labels, value }) => [
            [name.replace('tagtrail_alerts_', ''), ...Object.values(labels)].join(' '),
            value,
          ]),
        ),
      );
    };
    expect(await values()).to.deep.equal({
      ...{ deriving: 0, first_looks: 0, lag_seconds: 0, 'open open': 0, 'open acknowledged': 0 },
    });

    const { orgId } = await Site.create(database);
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
       values ($1, lpad('1', 26, '0'), 1, now(), false, 'overdue', 'R', '[]', '{}')`,
      [orgId],
    );
    await turns.take();
    const asset = await Site.of(database, orgId).asset('THING');
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at, state, closed_at)
       select $1, n::text, n::text, now(), 'R', 'overdue', $2, now(), state, closed_at
       from (values (1, 'open', null), (2, 'open', null), (3, 'closed', now()), (4, 'withdrawn', null))
         alert (n, state, closed_at)`,
      [orgId, asset],
    );
    await database.rows(
      `insert into alert_faults (org_id, derived_to, reason) values ($1, now(), 'no hours')`,
      [orgId],
    );
    await database.rows(
      `insert into alert_floods (org_id, rule_ids, since, until) values ($1, '{R1,R2}', now(), now())`,
      [orgId],
    );
    await database.rows(`update alert_derivation set caught_up_at = now() - interval '90 seconds'`);
    const { lag_seconds: lag, ...others } = await values();
    expect(lag).to.be.within(90, 150);
    expect(others).to.deep.equal({
      ...{ deriving: 1, first_looks: 0, 'open open': 2, 'open acknowledged': 0 },
      [`set_aside ${orgId}`]: 1,
      ...{ [`held_back ${orgId} R1`]: 1, [`held_back ${orgId} R2`]: 1 },
    });
  });
});
