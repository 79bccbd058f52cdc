import { expect } from 'chai';
import { ulid } from 'ulid';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { useApi } from '../../support/api.ts';
import { type MailServerHere, startMailServer } from '../../support/mail-server.ts';
import { Site } from '../../support/site.ts';

describe('the API with SMTP_URL', () => {
  let server: MailServerHere;
  before(async () => {
    server = await startMailServer();
  });
  after(() => server.close());
  const api = useApi({
    get SMTP_URL() {
      return { host: server.host, port: server.port, isSecure: false, login: null };
    },
    MAIL_FROM: { name: 'Lager', address: 'alerts@example.com' },
    CONSOLE_URL: 'https://tracking.example.com',
  });

  it('sends an alert to whom its rule names, and counts it', async () => {
    const { database } = api;
    const site = await Site.create(database, 'Nord');
    const { orgId } = site;
    await database.rows(
      `with account as (insert into users (email, name) values ('ada@example.com', 'Ada') returning id)
       insert into memberships (user_id, org_id, role) select id, $1, 'viewer' from account`,
      [orgId],
    );
    const ruleId = ulid();
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
       values ($1, $2, 1, now(), false, 'not_allowed', 'Tools', '[]', '{ada@example.com}')`,
      [orgId, ruleId],
    );
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at)
       values ($1, $2, $3, now(), 'Tools', 'not_allowed', $4, now())`,
      [orgId, ulid(), ruleId, await site.asset('DRILL')],
    );
    await sealBatch(database.pool, [{ orgId, after: 0, share: 1_000 }]);
    await server.got(1);
    expect(server.received[0]).to.deep.include({ from: 'alerts@example.com', to: ['ada@example.com'] });
    expect(server.received[0]?.headers.get('to')).to.equal('Ada <ada@example.com>');
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(metrics).to.include('tagtrail_mail_messages_total{outcome="refused"} 0');
  });
});
