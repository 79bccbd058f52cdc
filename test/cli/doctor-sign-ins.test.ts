import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import mqtt from 'mqtt';
import { ulid } from 'ulid';
import type { Finding } from '../../domain/health/finding.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { createLog } from '../../platform/runtime/log.ts';
import { readStandaloneConfig } from '../../services/standalone/config.ts';
import { type Standalone, startStandalone } from '../../services/standalone/standalone.ts';
import { commandLineOn, runCommand } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { closed, connected, connectReader } from '../support/ingest.ts';
import { PASSWORD, usePeople } from '../support/people.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

describe('doctor, of sign-ins that were refused', () => {
  const database = useDatabase();
  const people = usePeople(database);
  const { json } = commandLineOn(() => database);
  const secret = () => randomBytes(32).toString('base64url');
  let site: Site;
  let org: string;

  before(async () => {
    site = await Site.create(database);
    org = String(site.orgId);
  });
  beforeEach(() => database.empty('refused_sign_ins'));

  /** Runs everything while `act` does; what it counted is written at the latest when it stops. */
  async function whileItRuns(act: (system: Standalone) => Promise<unknown>): Promise<void> {
    const log = createLog('test', 'silent');
    const lifecycle = new Lifecycle(log);
    const ports = { API_PORT: '0', HANDHELD_PORT: '0', CONSOLE_PORT: '0', READERS_PORT: '0', MQTT_PORT: '0' };
    const config = readStandaloneConfig({ DATABASE_URL: database.url, ...ports });
    try {
      await act(await startStandalone(config, log, lifecycle));
    } finally {
      await lifecycle.stop();
    }
  }

  async function ask(url: string, token: string, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      const { status } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      expect([401, 429]).to.include(status);
    }
  }

  /** Tries to sign in at the broker. */
  async function signIn(url: string, username: string, password: string): Promise<void> {
    const refusal = await mqtt
      .connectAsync(url, { username, password, reconnectPeriod: 0 })
      .then(() => null)
      .catch((error: Error) => error);
    expect(refusal).to.include({ code: 4 });
  }

  async function findings(): Promise<{ found: Finding[]; printed: string }> {
    const environment = {
      DATABASE_URL: database.url,
      API_PORT: '0',
      HANDHELD_PORT: '0',
      CONSOLE_PORT: '0',
      READERS_PORT: '0',
      INGEST_PORT: '0',
    };
    const { stdout: printed } = await runCommand(['doctor', '--json'], environment);
    const { findings: all } = JSON.parse(printed) as { findings: Finding[] };
    return { found: all.filter(({ check }) => check === 'sign-ins'), printed };
  }

  it('says that there were none', async () => {
    const { found } = await findings();
    expect(found).to.deep.equal([
      { check: 'sign-ins', status: 'ok', message: 'None was refused in the last day', remedy: null },
    ]);
  });

  it('names readers, keys and handhelds, how often and what to do, and shows no secret', async () => {
    const reader = await site.reader('Dock 2', [null]);
    const scopes = ['--scopes', 'assets:read'];
    const revoked = await json('key', 'create', '--org', org, '--name', 'Backend', ...scopes);
    await json('key', 'revoke', '--id', revoked.id);
    const live = await json('key', 'create', '--org', org, '--name', 'Mistyped', ...scopes);
    const handheld = await json('handheld', 'create', '--org', org, '--name', 'Scanner 7');
    await database.rows('update handhelds set expires_at = now() where id = $1', [handheld.id]);
    const secrets = Array.from({ length: 5 }, secret);
    const swapped = randomBytes(24).toString('base64url');
    const [inUserName = '', wrong = '', unknown = '', password = '', other = ''] = secrets;
    await whileItRuns(async ({ apiUrl, handheldUrl, mqttUrl }) => {
      await ask(`${apiUrl}/api/v1/assets`, revoked.key, 7);
      await ask(`${apiUrl}/api/v1/assets`, `tt_${live.id}_${wrong}`, 6);
      await ask(`${apiUrl}/api/v1/assets`, `tt_01ARZ3NDEKTSV4RRFFQ69G5FAV_${unknown}`, 5);
      await ask(`${apiUrl}/api/v1/assets`, other, 4);
      await ask(`${handheldUrl}/handheld/v1/locations`, handheld.token, 8);
      await signIn(mqttUrl, 'Dock 2', password);
      await signIn(mqttUrl, 'dokc-2\u001b[2J', password);
      await signIn(mqttUrl, `th_1_${inUserName}`, password);
      await signIn(mqttUrl, swapped, 'Dock 2');
    });
    // Of these seven hours ago; and what is older than a day is shown no more.
    await database.rows(
      `insert into refused_sign_ins (period, kind, name, count, last_at, address)
       select date_bin('10 minutes', now() - ago, 'epoch'), 'reader', name, 20, now() - ago, '10.0.0.7'
       from (values ('Dock 2', interval '7 hours'), ('Gone', interval '25 hours')) as old (name, ago)`,
    );
    const { found, printed } = await findings();
    const [scanner, backend, mistyped, nobodys, none, dock, ...strangers] = found;
    const said = (finding: Finding | undefined) =>
      `${finding?.status} ${finding?.message} -> ${finding?.remedy}`;
    expect(said(scanner)).to.match(
      /^warning Handheld Scanner 7 \(handheld \d+, organization \d+\) was refused: it has expired \(8 in the last hour, 8 in the last day, the last at 20.*Z from .*127\.0\.0\.1\).*handheld create --org/,
    );
    expect(said(backend))
      .to.match(/API key Backend \(tt_[0-9A-Z]{20}\.\.\., .*it is revoked \(7 in .*key create --org/)
      .and.include(revoked.id.slice(0, 20));
    expect(said(mistyped)).to.match(/API key Mistyped .*its secret was wrong \(6 in/);
    expect(said(nobodys)).to.match(
      /tt_01ARZ3NDEKTSV4RRFFQ6\.\.\., which is not known here, was refused \(5 in/,
    );
    expect(said(none)).to.match(/malformed keys.*\(4 in the last hour, 4 in the last day/);
    expect(said(dock))
      .to.match(/Reader Dock 2 .*password or certificate was wrong \(1 in the last hour, 21 in the last day/)
      .and.include(`reader set --reader ${reader} --new-password`);
    expect(strangers.map(said).join('\n'))
      .to.include('user name dokc-2\\u{1b}[2J, which no reader has')
      .and.include('user name th_1_***')
      .and.include(`user name ${swapped.slice(0, 3)}***`);
    expect(strangers).to.have.length(3);
    const [{ stored = '' } = {}] = await database.rows<{ stored: string }>(
      `select string_agg(refused_sign_ins::text, ' ') as stored from refused_sign_ins`,
    );
    for (const hidden of [...secrets, swapped, revoked.key.slice(-43), handheld.token.slice(-43)]) {
      expect(printed).not.to.include(hidden);
      expect(stored).not.to.include(hidden);
    }
  });

  it('names readers that speak MQTT 5, until they sign in, and those whose login two devices use', async () => {
    const five = await site.reader('Dock 5', [null]);
    const shared = await site.reader('Shared', [null]);
    await site.reader('Flaky', [null]);
    await whileItRuns(async ({ mqttUrl }) => {
      const port = Number(new URL(mqttUrl).port);
      const speakFive = async (username: string, password: string) => {
        const client = connectReader(port, username, { password, protocolVersion: 5 });
        const refusal = await connected(client).catch((error: Error) => error);
        await client.endAsync(true);
        return refusal;
      };
      // Unacceptable protocol version, as in MQTT 3.1.1: there is no later one that the broker could answer in.
      expect(await speakFive('Dock 5', 'Dock 5')).to.include({ code: 1 });
      expect(await speakFive('nobody', 'Dock 5')).to.include({ code: 1 });
      const takeOver = async (username: string, times: number) => {
        let last = connectReader(port, username);
        await connected(last);
        for (let time = 0; time < times; time += 1) {
          const ended = closed(last);
          last = connectReader(port, username);
          await connected(last);
          await ended;
        }
        await last.endAsync();
      };
      await takeOver('Shared', 8);
      await takeOver('Flaky', 3);
    });
    const said = async () =>
      (await findings()).found.map(({ message, remedy }) => `${message} -> ${remedy}`).sort();
    const [mqtt5, nobody, both, ...others] = await said();
    expect(mqtt5).to.match(
      new RegExp(
        `^Reader Dock 5 \\(reader ${five}, .* was refused: it speaks MQTT 5, .* \\(1 in the last hour.* from .*127\\.0\\.0\\.1\\) -> Set it to MQTT 3\\.1\\.1`,
      ),
    );
    expect(nobody).to.match(/^The MQTT user name nobody, which no reader has, was refused/);
    expect(both).to.match(
      new RegExp(
        `^Two devices use the login of reader Shared \\(reader ${shared}, .*end each other's connections \\(8 in the last hour.*127\\.0\\.0\\.1, both times\\) -> Give each its own login: .*reader create --org ${org};`,
      ),
    );
    expect(others).to.deep.equal([]);
    await whileItRuns(async ({ mqttUrl }) => {
      const client = connectReader(Number(new URL(mqttUrl).port), 'Dock 5');
      await connected(client);
      await client.endAsync();
    });
    expect(await said()).to.deep.equal([nobody, both]);
  });

  it('says nothing of readers that are to come again, as their organization moves', async () => {
    const moving = await Site.create(database, 'Moving');
    const reader = await moving.reader('Mover', [null]);
    await database.rows('update organizations set deleted_at = now(), held_at = now() where id = $1', [
      moving.orgId,
    ]);
    await whileItRuns(async ({ mqttUrl }) => {
      const client = connectReader(Number(new URL(mqttUrl).port), 'Mover');
      const refusal = await connected(client).catch((error: Error) => error.message);
      expect(refusal).to.equal('the connection was ended');
      await client.endAsync(true);
    });
    expect(await database.rows('select * from refused_sign_ins')).to.deep.equal([]);
    await database.rows(
      `insert into refused_sign_ins (period, kind, name, count, last_at, address)
       values (date_bin('10 minutes', now(), 'epoch'), 'reader', 'Mover', 1, now(), '10.0.0.7')`,
    );
    const { found } = await findings();
    expect(found.map(({ message, remedy }) => `${message} -> ${remedy}`).join()).to.match(
      new RegExp(
        `^Reader Mover \\(reader ${reader}, .* -> Its organization is moving or has moved to another cell`,
      ),
    );
  });

  it('tells users from strangers, whose e-mail addresses are not kept', async () => {
    await people.user('ann@example.com', { orgId: site.orgId, role: 'viewer' });
    await people.user('old@example.com', { orgId: site.orgId, role: 'viewer' });
    await json('user', 'disable', '--email', 'old@example.com');
    const typed = secret();
    await whileItRuns(async ({ consoleUrl }) => {
      for (const [email, password, times] of [
        ['ann@example.com', typed, 3],
        ['old@example.com', PASSWORD, 2],
        [typed, 'ann@example.com', 1],
      ] as const) {
        for (let time = 0; time < times; time += 1) {
          const { status } = await fetch(`${consoleUrl}/console/v1/session`, {
            method: 'POST',
            headers: { Origin: consoleUrl, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
            body: JSON.stringify({ email, password }),
          });
          expect(status).to.equal(401);
        }
      }
    });
    const { found, printed } = await findings();
    expect(found.map(({ message, remedy }) => `${message} -> ${remedy}`)[0]).to.match(
      /^ann@example.com was refused at the console: the password was wrong \(3 in .*127\.0\.0\.1\) -> .*user reset --email ann@example.com/,
    );
    expect(found[1]?.message).to.match(/^old@example.com was refused .*the account is disabled \(2 in/);
    expect(found[2]?.message).to.match(/^Sign-ins to the console with unknown e-mail addresses/);
    expect(found).to.have.length(3);
    expect(printed).not.to.include(typed);
    expect(JSON.stringify(await database.rows('select * from refused_sign_ins'))).not.to.include(typed);
  });

  it('counts a flood of names that strangers make up in few rows, without losing count of those there are', async () => {
    const { id, key } = await json(
      ...['key', 'create', '--org', org, '--name', 'Worker', '--scopes', 'assets:read'],
    );
    await json('key', 'revoke', '--id', id);
    await whileItRuns(async ({ apiUrl }) => {
      await Promise.all(
        Array.from({ length: 300 }, () => ask(`${apiUrl}/api/v1/orgs/me`, `tt_${ulid()}_${secret()}`)),
      );
      await ask(`${apiUrl}/api/v1/orgs/me`, key, 3);
    });
    const [row] = await database.rows<{ rows: number; refused: number; known: number }>(
      `select count(*) as rows, sum(count)::bigint as refused,
         (sum(count) filter (where name = $1))::bigint as known from refused_sign_ins`,
      [id],
    );
    expect(row?.rows).to.be.within(2, 102);
    expect(row).to.include({ refused: 303, known: 3 });
    const { found } = await findings();
    expect(found).to.have.length(11);
    expect(found[0]?.message).to.match(
      /with too many different keys to count, were refused \(200 in the last hour/,
    );
    expect(found[1]?.message).to.include('Worker');
    expect(found[10]?.message).to.include('92 other names');
  });

  it('tells of them while the system runs, and forgets them after a day', async () => {
    await database.rows(
      `insert into refused_sign_ins (period, kind, name, count, last_at, address)
       select date_bin('10 minutes', at, 'epoch'), 'key', at::text, 1, at, ''
       from (values (now() - interval '23 hours'), (now() - interval '26 hours')) as old (at)`,
    );
    await whileItRuns(async ({ handheldUrl }) => {
      await ask(`${handheldUrl}/handheld/v1/locations`, `th_12345_${secret()}`);
      // A few seconds; the test's time bounds them.
      await until(
        async () => (await database.rows(`select from refused_sign_ins where kind = 'handheld'`)).length > 0,
      );
      expect(JSON.stringify((await findings()).found)).to.include('th_12345_...');
    });
    expect(await database.rows('select kind, count from refused_sign_ins order by kind')).to.deep.equal([
      { kind: 'handheld', count: 1 },
      { kind: 'key', count: 1 },
    ]);
  });
});
