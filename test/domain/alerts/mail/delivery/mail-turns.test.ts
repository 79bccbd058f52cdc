import { expect } from 'chai';
import { ulid } from 'ulid';
import { loadTouched, MailTurns } from '../../../../../domain/alerts/mail/delivery/mail-turns.ts';
import { openMailer } from '../../../../../domain/alerts/mail/sending/mailer.ts';
import { examineMail } from '../../../../../domain/health/mail.ts';
import { sealBatch } from '../../../../../domain/moves/sealing/seal-batch.ts';
import { useDatabase } from '../../../../support/database.ts';
import { type MailServerHere, startMailServer } from '../../../../support/mail-server.ts';
import { Site } from '../../../../support/site.ts';

describe('e-mail of alerts', () => {
  const database = useDatabase();
  let server: MailServerHere;
  let site: Site;
  let hall: number;

  before(async () => {
    server = await startMailServer();
    site = await Site.create(database, 'Nord');
    hall = await site.location('HALL-1');
  });
  beforeEach(async () => {
    await database.rows(
      'truncate alert_mail_recipients, alerts, rules, memberships, users, moves, unsealed_moves, move_heads, move_days cascade',
    );
    server.received.length = 0;
    server.refusal = () => null;
    server.holds = () => null;
  });
  after(() => server.close());

  const turns = (settleSeconds = 0) =>
    new MailTurns({
      settleSeconds,
      db: database.pool,
      pool: database.pool,
      mailer: openMailer(
        { host: server.host, port: server.port, isSecure: false, login: null },
        { name: '', address: 'alerts@example.com' },
      ),
      consoleUrl: 'https://tracking.example.com',
      onMessage: () => {},
      onFault: (error) => {
        throw error;
      },
      random: () => 0,
    });

  /** A turn of a process that has just started. */
  const take = (settleSeconds = 0) => takeAll(turns(settleSeconds));

  async function takeAll(running: MailTurns): Promise<number> {
    const begun = await running.take();
    await running.allEnded();
    return begun;
  }

  async function person(email: string, orgs = [site.orgId]): Promise<void> {
    await database.rows(
      `with account as (insert into users (email, name) values ($1, 'Ada') returning id)
       insert into memberships (user_id, org_id, role) select id, org_id, 'viewer' from account, unnest($2::int[]) org_id`,
      [email, orgs],
    );
  }

  async function rule(
    mailTo: string[],
    { id = ulid(), version = 1, orgId = site.orgId, name = 'Tools', inHours = 0 } = {},
  ) {
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
       values ($1, $2, $3, now() + make_interval(hours => $6), false, 'not_allowed', $4, '[]', $5)`,
      [orgId, id, version, name, mailTo, inHours],
    );
    return id;
  }

  async function open(
    ruleId: string,
    asset: string,
    orgId = site.orgId,
    isAlarm = false,
    kind = isAlarm ? 'dwell' : 'not_allowed',
  ): Promise<string> {
    const id = ulid();
    const of = orgId === site.orgId ? site : Site.of(database, orgId);
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at, level,
         alarm_at)
       values ($1, $2, $3, now(), 'Tools', $7, $4, $5, '2026-05-04T08:00Z',
         case when $6 then 'alarm' end, case when $6 then '2026-05-04T08:00Z'::timestamptz end)`,
      [
        orgId,
        id,
        ruleId,
        await of.asset(`${asset}-${id}`),
        orgId === site.orgId ? hall : null,
        isAlarm,
        kind,
      ],
    );
    await seal(orgId);
    return id;
  }

  async function change(id: string, to: 'closed' | 'withdrawn' | 'acknowledged'): Promise<void> {
    await database.rows(
      `update alerts set state = $2, closed_at = case when $2 = 'closed' then '2026-05-04T08:01Z'::timestamptz end,
         acknowledged_at = case when $2 = 'acknowledged' then now() end where id = $1`,
      [id, to],
    );
    await seal();
  }

  const seal = (orgId = site.orgId) => sealBatch(database.pool, [{ orgId, after: 0, share: 1_000 }]);

  /** As if a minute had passed, or with back-off as long as it takes. */
  const laterOn = () =>
    database.rows(
      `update alert_mail_recipients set tried_at = tried_at - interval '61 seconds', not_before = null`,
    );

  const subjects = () => server.received.map(({ headers }) => headers.get('subject'));

  it('sends the first at once, and what follows within a minute as one', async () => {
    await person('ada@example.com');
    const ruleId = await rule(['ada@example.com']);
    const first = await open(ruleId, 'DRILL');
    expect(await take()).to.equal(1);
    expect(server.received[0]?.to).to.deep.equal(['ada@example.com']);
    expect(server.received[0]?.text).to.include(
      `https://tracking.example.com/#/alerts?open=${first}&org=${site.orgId}`,
    );
    await open(ruleId, 'SAW');
    await open(ruleId, 'CART');
    await change(first, 'closed');
    expect(await take()).to.equal(0);
    await laterOn();
    expect(await take()).to.equal(1);
    expect(await take()).to.equal(0);
    expect(server.received).to.have.length(2);
    const text = server.received[1]?.text ?? '';
    expect(text).to.match(/SAW[\s\S]*CART[\s\S]*Over: DRILL/);
    await laterOn();
    expect(await take()).to.equal(0);
  });

  it('tells each whom a rule names, and nobody of what came before the rule', async () => {
    await person('ada@example.com');
    await person('bo@example.com');
    await open(await rule([]), 'EARLY');
    const [both, one] = [await rule(['ada@example.com', 'bo@example.com']), await rule(['bo@example.com'])];
    await open(both, 'DRILL');
    await open(one, 'SAW');
    expect(await take()).to.equal(2);
    const of = (address: string) => server.received.find(({ to }) => to[0] === address)?.text ?? '';
    expect(of('ada@example.com'))
      .to.include('DRILL')
      .and.not.match(/SAW|EARLY/);
    expect(of('bo@example.com'))
      .to.match(/DRILL[\s\S]*SAW/)
      .and.not.include('EARLY');
  });

  it('tells nothing old when it is set up late, or again, but what the mail server did not take', async () => {
    await person('ada@example.com');
    const id = await rule(['ada@example.com']);
    await database.rows(`update rules set recorded_at = now() - interval '1 day'`);
    await open(id, 'OLD');
    await database.rows(
      `set tagtrail.retention = on;
       create temporary table aged on commit drop as select * from moves;
       delete from moves;
       update aged set sealed_at = sealed_at - interval '20 minutes';
       insert into moves select * from aged`,
    );
    await open(id, 'DRILL');
    expect(await take()).to.equal(1);
    expect(server.received[0]?.text).to.include('DRILL').and.not.include('OLD');

    const aDayLater = () =>
      database.rows(
        `set tagtrail.retention = on; update moves set recorded_at = recorded_at - interval '25 hours'`,
      );
    await open(id, 'SAW');
    await aDayLater();
    await laterOn();
    await open(id, 'CART');
    server.refusal = () => 451;
    expect(await take()).to.equal(1);
    await aDayLater();
    await laterOn();
    server.refusal = () => null;
    expect(await take()).to.equal(1);
    expect(server.received[1]?.text).to.include('CART').and.not.include('SAW');
  });

  it('sends nothing to who is no member any more, or disabled, or no longer named', async () => {
    for (const name of ['gone', 'disabled', 'unnamed', 'ada']) {
      await person(`${name}@example.com`);
    }
    const all = ['gone@example.com', 'disabled@example.com', 'unnamed@example.com', 'ada@example.com'];
    const id = await rule(all);
    await take();
    await rule(
      all.filter((each) => !each.startsWith('unnamed')),
      { id, version: 2 },
    );
    await database.rows(`delete from memberships using users where id = user_id and email like 'gone%'`);
    await database.rows(`update users set is_disabled = true where email like 'disabled%'`);
    await open(id, 'DRILL');
    expect(await take()).to.equal(1);
    expect(server.received.map(({ to }) => to[0])).to.deep.equal(['ada@example.com']);
  });

  it('has nothing for a member who is removed while a turn looks', async () => {
    const gone = {
      orgId: site.orgId,
      userId: 1,
      organization: 'Nord',
      name: 'Ada',
      address: 'ada@example.com',
    };
    const touched = await loadTouched(database.pool, { ...gone, position: 0, failures: 0, triedAt: null }, 0);
    expect([touched.alerts, touched.done]).to.deep.equal([[], { upTo: 0, beyond: {} }]);
  });

  it('sends at most one a minute to a person, of whichever organization, and each in its own', async () => {
    const other = await Site.create(database, 'Süd');
    await person('ada@example.com', [site.orgId, other.orgId]);
    await open(await rule(['ada@example.com']), 'DRILL');
    await open(await rule(['ada@example.com'], { orgId: other.orgId }), 'SAW', other.orgId);
    expect(await take()).to.equal(1);
    expect(await take()).to.equal(0);
    await laterOn();
    expect(await take()).to.equal(1);
    expect(server.received.map(({ text }) => [/DRILL/.test(text), /SAW/.test(text)])).to.have.deep.members([
      [true, false],
      [false, true],
    ]);
  });

  it('is sent also if another organization of theirs has news again and again that is for others', async () => {
    const other = await Site.create(database, 'Süd');
    await person('ada@example.com', [site.orgId, other.orgId]);
    await rule(['ada@example.com'], { orgId: other.orgId });
    const [hers, ofOthers] = [await rule(['ada@example.com']), await rule([], { orgId: other.orgId })];
    for (const asset of ['DRILL', 'SAW']) {
      await open(hers, asset);
      await open(ofOthers, 'CART', other.orgId);
      expect(await take()).to.equal(1);
      expect(server.received.at(-1)?.text).to.include(asset).and.not.include('CART');
      await laterOn();
    }
  });

  it('is sent to all in turn, of whom more are behind than are begun to at a time', async () => {
    const people = Array.from({ length: 9 }, (_, index) => `p${index}@example.com`);
    for (const email of people) {
      await person(email);
    }
    const id = await rule(people);
    const running = turns();
    await open(id, 'DRILL');
    expect([await takeAll(running), await takeAll(running)]).to.deep.equal([4, 4]);
    await laterOn();
    await open(id, 'SAW');
    expect(await takeAll(running)).to.equal(4);
    expect(new Set(server.received.map(({ to }) => to[0])).size).to.equal(9);
  });

  it('is sent for another organization while the server answers nothing to the many of one', async () => {
    const others = await Promise.all([Site.create(database, 'Süd'), Site.create(database, 'West')]);
    const many = Array.from({ length: 20 }, (_, index) => `p${index}@example.com`);
    for (const email of many) {
      await person(email);
    }
    await open(await rule(many), 'DRILL');
    const released = Promise.withResolvers<void>();
    server.holds = (address) => (address.startsWith('p') ? released.promise : null);
    const running = turns();
    expect([await running.take(), await running.take()]).to.deep.equal([4, 0]);
    for (const [index, { orgId }] of others.entries()) {
      const address = `o${index}@example.com`;
      await person(address, [orgId]);
      await open(await rule([address], { orgId }), 'SAW', orgId);
      expect(await running.take()).to.equal(1);
      await server.got(5 + index);
      expect(server.received.map(({ to }) => to[0])).to.include(address);
    }
    released.resolve();
    await running.allEnded();
    expect(await takeAll(running)).to.equal(4);
  });

  it('is sent in the first turn for each of several organizations, whatever one has waiting', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `p${index}@example.com`);
    for (const email of many) {
      await person(email);
    }
    await open(await rule(many), 'DRILL');
    const addresses: string[] = [];
    for (const name of ['Süd', 'West', 'Ost']) {
      const { orgId } = await Site.create(database, name);
      const address = `${orgId}@example.com`;
      addresses.push(address);
      await person(address, [orgId]);
      await open(await rule([address], { orgId }), 'SAW', orgId);
    }
    expect(await take()).to.be.greaterThan(3);
    expect(server.received.map(({ to }) => to[0])).to.include.members(addresses);
  });

  it('is sent once by several processes, and once more if the one that began it was killed', async () => {
    await person('ada@example.com');
    await open(await rule(['ada@example.com']), 'DRILL');
    const begun = await Promise.all([take(), take(), take()]);
    expect(begun.reduce((sum, each) => sum + each)).to.equal(1);
    // As it is left by a process that was killed before it had noted what became of it.
    await database.rows('update alert_mail_recipients set position = 0, sent_at = null');
    expect(await take()).to.equal(0);
    await laterOn();
    expect(await take()).to.equal(1);
    expect(subjects()[1]).to.equal(subjects()[0]);
  });

  it('waits longer and longer for a server that is away, and loses nothing', async () => {
    await person('ada@example.com');
    const id = await rule(['ada@example.com']);
    await open(id, 'DRILL');
    server.refusal = () => 451;
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      expect(await take()).to.equal(1);
      const [row] = await database.rows<{ wait: number; failures: number }>(
        'select extract(epoch from not_before - tried_at)::float8 as wait, failures from alert_mail_recipients',
      );
      expect(row?.failures).to.equal(attempt);
      waits.push(Math.round((row?.wait ?? 0) / 60));
      await laterOn();
    }
    expect(waits).to.deep.equal([1, 2, 5, 10, 30, 60, 60, 60]);
    const [finding] = await examineMail(database.pool, site.orgId);
    expect(finding).to.deep.include({ check: 'e-mail', status: 'warning' });
    expect(finding?.message).to.include('8 times').and.include('451');
    await open(id, 'SAW');
    server.refusal = () => null;
    expect(await take()).to.equal(1);
    expect(server.received[0]?.text).to.match(/DRILL[\s\S]*SAW/);
    expect((await examineMail(database.pool, site.orgId))[0]?.status).to.equal('ok');
  });

  it('does not send again what was refused for good, says so, and tries the next alert', async () => {
    await person('ada@example.com');
    const id = await rule(['ada@example.com']);
    await open(id, 'DRILL');
    server.refusal = () => 550;
    expect(await take()).to.equal(1);
    await laterOn();
    expect(await take()).to.equal(0);
    const [finding] = await examineMail(database.pool);
    expect(finding?.status).to.equal('warning');
    expect(finding?.message).to.match(/ada@example.com was refused.*550/);
    await open(id, 'SAW');
    server.refusal = () => 451;
    expect(await take()).to.equal(1);
    expect((await examineMail(database.pool))[0]?.message).to.match(/could not be sent, once.*451/);
    await laterOn();
    server.refusal = () => null;
    expect(await take()).to.equal(1);
    expect(server.received[0]?.text).to.include('SAW').and.not.include('DRILL');
  });

  it('says nothing of an alert that was withdrawn before anybody was told', async () => {
    await person('ada@example.com');
    const id = await rule(['ada@example.com']);
    await change(await open(id, 'DRILL'), 'withdrawn');
    expect(await take()).to.equal(0);
    const told = await open(id, 'SAW');
    expect(await take()).to.equal(1);
    await change(told, 'acknowledged');
    await laterOn();
    expect(await take()).to.equal(0);
    await change(told, 'withdrawn');
    expect(await take()).to.equal(1);
    expect(server.received[1]?.text).to.match(/^Withdrawn, it was not so: SAW/);
  });

  it('says nothing of an alarm either that was withdrawn before anybody was told', async () => {
    await person('ada@example.com');
    const id = await rule(['ada@example.com']);
    await change(await open(id, 'DRILL', site.orgId, true), 'withdrawn');
    expect(await take()).to.equal(0);
    await change(await open(id, 'SAW', site.orgId, true), 'acknowledged');
    expect(await take()).to.equal(1);
    expect(server.received[0]?.text).to.include('SAW').and.not.include('DRILL');
  });

  it('tells the second step of a rule as well, of an overdue asset that it is missing', async () => {
    await person('ada@example.com');
    const id = await open(await rule(['ada@example.com']), 'DRILL', site.orgId, false, 'overdue');
    expect(await take()).to.equal(1);
    expect(server.received[0]?.text).to.include('is overdue');
    await database.rows(
      `update alerts set alarm_at = now(), because = '{"state": "missing"}' where id = $1`,
      [id],
    );
    await seal();
    await laterOn();
    expect(await take()).to.equal(1);
    expect(server.received[1]?.text).to.include('is missing');
    await change(id, 'withdrawn');
    await laterOn();
    expect(await take()).to.equal(1);
    expect(server.received[2]?.text).to.match(/^Withdrawn, it was not so: DRILL/);
  });

  it('is sent to whom the rule names now, not to whom it will name', async () => {
    await person('ada@example.com');
    await person('bo@example.com');
    const id = await rule(['ada@example.com']);
    await rule(['bo@example.com'], { id, version: 2, inHours: 1 });
    await open(id, 'DRILL');
    expect(await take()).to.equal(1);
    expect(server.received.map(({ to }) => to[0])).to.deep.equal(['ada@example.com']);
  });

  it('is missed by doctor where rules name people and no process sends', async () => {
    await person('ada@example.com');
    expect((await examineMail(database.pool))[0]).to.deep.include({
      status: 'ok',
      message: 'No rule names anybody',
    });
    await rule(['ada@example.com']);
    await database.rows(`update rules set recorded_at = now() - interval '2 minutes'`);
    expect((await examineMail(database.pool))[0]?.message).to.include('no process sends e-mail');
    await take();
    expect((await examineMail(database.pool))[0]?.message).to.equal('Rules name 1; nothing was refused');
  });

  describe('that waits', () => {
    /** As if a time had passed since everything that is in the feed was sealed there. */
    const ago = (seconds: number) =>
      database.rows(
        `set tagtrail.retention = 'on';
         with old as (delete from moves returning *)
         insert into moves select org_id, position, sealed_at - interval '${seconds} seconds', asset_id, kind, part, parts,
           recorded_at, location_id, since, last_seen, previous_location_id, duration_seconds, rows from old;
         reset tagtrail.retention`,
      );

    it('is sent once an alert has stood for so long, and never if it was withdrawn by then', async () => {
      await person('ada@example.com');
      const ruleId = await rule(['ada@example.com']);
      const flicker = await open(ruleId, 'FLICKER');
      await open(ruleId, 'DRILL');
      expect(await take(30)).to.equal(0);
      await ago(20);
      await change(flicker, 'withdrawn');
      const young = await open(ruleId, 'SAW');
      await ago(15);
      // What was just withdrawn has not waited itself, nor has the last that was opened.
      expect(await take(30)).to.equal(1);
      expect(subjects()).to.have.length(1);
      expect(server.received[0]?.text).to.include('DRILL').and.not.include('FLICKER').and.not.include('SAW');
      await laterOn();
      expect(await take(30)).to.equal(0);
      await ago(20);
      await laterOn();
      expect(await take(30)).to.equal(1);
      expect(server.received[1]?.text).to.include('SAW').and.not.include('FLICKER');
      await change(young, 'withdrawn');
      await laterOn();
      expect(await take(30)).to.equal(0);
      await ago(31);
      expect(await take(30)).to.equal(1);
      expect(server.received[2]?.text).to.include('Withdrawn, it was not so').and.include('SAW');
      const [recipient] = await database.rows('select done_beyond from alert_mail_recipients');
      expect(recipient).to.deep.equal({ done_beyond: {} });
    });

    it('says once what an alert has become, however recent that is', async () => {
      await person('ada@example.com');
      const ruleId = await rule(['ada@example.com']);
      const first = await open(ruleId, 'DRILL');
      expect(await take(30)).to.equal(0);
      await ago(31);
      await change(first, 'closed');
      expect(await take(30)).to.equal(1);
      expect(server.received[0]?.text).to.include('Over: ');
      await ago(31);
      await laterOn();
      expect(await take(30)).to.equal(0);
      expect(server.received).to.have.length(1);
    });

    it('remembers of few alerts that their recent events were told, however many there are', async () => {
      await person('ada@example.com');
      const ruleId = await rule(['ada@example.com']);
      await open(ruleId, 'DRILL');
      const sealAll = async () => {
        for (let times = 0; times < 3; times++) {
          await seal();
        }
      };
      await database.rows(
        `with many as (
           insert into assets (org_id, external_key, name) select $1, 'MANY-' || at, 'many' from generate_series(1, 1500) at
           returning id
         )
         insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at)
         select org_id, 'MANY' || lpad(many.id::text, 22, '0'), rule_id, rule_valid_from, rule_name, kind, many.id,
           location_id, opened_at from alerts cross join many`,
        [site.orgId],
      );
      await sealAll();
      expect(await take(30)).to.equal(0);
      await ago(31);
      await database.rows(`update alerts set state = 'closed', closed_at = opened_at where id like 'MANY%'`);
      await sealAll();
      expect(await take(30)).to.equal(1);
      const [told] = await database.rows(
        'select (select count(*)::integer from jsonb_object_keys(done_beyond)) as count from alert_mail_recipients',
      );
      expect(told).to.deep.equal({ count: 1_000 });
      await ago(31);
      await laterOn();
      expect(await take(30)).to.equal(1);
      expect(subjects()[1]).to.include('and 499 more');
      const [later] = await database.rows('select done_beyond from alert_mail_recipients');
      expect(later).to.deep.equal({ done_beyond: {} });
    });
  });
});
