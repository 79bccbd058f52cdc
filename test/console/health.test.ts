import { expect } from 'chai';
import type { Finding } from '../../domain/health/finding.ts';
import { useConsole } from '../support/console.ts';
import { Site } from '../support/site.ts';

describe('the health of an organization in the console', () => {
  const suite = useConsole();
  let others: Site;
  let own: Site;

  const messages = (findings: readonly Finding[], check: string) =>
    findings.filter((finding) => finding.check === check).map(({ message }) => message);

  it('tells who administers the only organization all about the installation', async () => {
    const { status, body, text } = await suite.call({ path: '/health' });
    expect(status, text).to.equal(200);
    expect(messages(body.data.installation, 'database')[0]).to.match(/^PostgreSQL 1\d/);
    expect(messages(body.data.organization, 'readers')).to.deep.equal(['There are none']);
    expect(body.data.retention).to.deep.equal({ scan_days: 30, move_days: null, lateness_days: 30 });
  });

  it('tells an organization of its own readers, webhooks, messages and people, and of nobody else’s', async () => {
    others = await Site.create(suite.database, 'Others');
    own = await Site.create(suite.database, 'Ours');
    for (const [site, word] of [
      [others, 'theirs'],
      [own, 'ours'],
    ] as const) {
      await site.reader(`reader-${word}`, [null], { format: `format-${word}` });
      await suite.people.user(`${word}@example.com`, { orgId: site.orgId, role: 'viewer' });
      await suite.database.rows(
        `insert into webhooks (org_id, name, url, state, state_reason, state_at)
         values ($1, $2, 'https://example.com', 'paused', 'undeliverable', now())`,
        [site.orgId, `webhook-${word}`],
      );
      await suite.database.rows(
        `insert into sealing_faults (org_id, move_id, reason, since) values ($1, 1, $2, now())`,
        [site.orgId, `fault-${word}`],
      );
      await suite.database.rows(
        `insert into alert_faults (org_id, derived_to, reason) values ($1, now(), $2)`,
        [site.orgId, `rule-${word}`],
      );
      await suite.database.rows(
        `insert into refused_sign_ins (period, kind, name, count, last_at, address)
         select now(), 'user', id::text, 3, now(), '10.0.0.7' from users where email = $1`,
        [`${word}@example.com`],
      );
    }
    await suite.database.rows(
      `insert into refused_sign_ins (period, kind, name, count, last_at, address)
       values (now(), 'reader', 'a-theirs-stranger', 9, now(), '10.0.0.8')`,
    );
    const token = await suite.as('admin', own.orgId);
    const { text, body } = await suite.call({ path: '/health', token });
    expect(text).not.to.include('theirs').and.not.include('Others').and.not.include('10.0.0.8');
    const { organization } = body.data;
    expect(messages(organization, 'readers')[0]).to.include('reader-ours');
    expect(messages(organization, 'webhooks')[0]).to.include('webhook-ours');
    expect(messages(organization, 'move feed')[0]).to.include('fault-ours');
    expect(messages(organization, 'alerts')[0]).to.include('rule-ours');
    expect(messages(organization, 'sign-ins')[0]).to.match(/^ours@example.com was refused.*\(3 in/);
    const amiss: Finding[] = organization.filter(({ status }: Finding) => status !== 'ok');
    for (const { remedy, mend } of amiss) {
      expect(remedy).to.be.a('string');
      // What somebody could do by a command they can do here.
      expect(mend === null && remedy?.includes('npx'), remedy ?? '').to.equal(false);
    }
    expect(amiss.map(({ mend }) => mend?.what)).to.include.members([
      'set_format',
      'switch_webhook_on',
      'reset_user',
    ]);
  });

  it('says of an installation with several organizations only whether all is well', async () => {
    await suite.database.rows(
      `insert into cell_moves (org_id, state, other_cell) values (98, 'held', 'b'), (99, 'held', 'b')`,
    );
    const fresh = await suite.start();
    const response = await fetch(`${fresh}/console/v1/health`, {
      headers: { Cookie: `tagtrail_session=${suite.token}` },
    });
    const { data } = JSON.parse(await response.text());
    expect(messages(data.installation, 'moves between cells')).to.deep.equal([null]);
    for (const finding of data.installation) {
      expect(finding).to.include({ message: null, remedy: null, mend: null });
    }
  });

  it('is looked at once for all who ask at the same time', async () => {
    const token = await suite.as('admin', own.orgId);
    const fresh = await suite.start();
    const ask = async () => {
      const response = await fetch(`${fresh}/console/v1/health`, {
        headers: { Cookie: `tagtrail_session=${token}` },
      });
      return JSON.parse(await response.text()).data.checked_at as string;
    };
    const times = new Set(await Promise.all(Array.from({ length: 10 }, ask)));
    expect(times.size).to.equal(1);
  });
});
