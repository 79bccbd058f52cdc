import { ulid } from 'ulid';
import { sealBatch } from '../../domain/moves/sealing/seal-batch.ts';
import type { TestDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

/** An alert of a new organization that is told by e-mail to Ada. */
export async function raiseAlert(database: TestDatabase, address = 'ada@example.com'): Promise<void> {
  const site = await Site.create(database, `Nord ${address}`);
  const { orgId } = site;
  await database.rows(
    `with account as (insert into users (email, name) values ($2, 'Ada') returning id)
     insert into memberships (user_id, org_id, role) select id, $1, 'viewer' from account`,
    [orgId, address],
  );
  const ruleId = ulid();
  await database.rows(
    `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
     values ($1, $2, 1, now(), false, 'not_allowed', 'Tools', '[]', array[$3])`,
    [orgId, ruleId, address],
  );
  await database.rows(
    `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at)
     values ($1, $2, $3, now(), 'Tools', 'not_allowed', $4, now())`,
    [orgId, ulid(), ruleId, await site.asset('DRILL')],
  );
  await sealBatch(database.pool, [{ orgId, after: 0, share: 1_000 }]);
}
