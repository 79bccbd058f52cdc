import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { newSecretsKey } from '../../domain/webhooks/secrets/secrets-key.ts';
import { runCommand } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { onEmbedded } from '../support/embedded-folder.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { Site } from '../support/site.ts';

describe('tagtrail webhook', () => {
  const database = useDatabase();
  const key = newSecretsKey();
  let site: Site;
  let receiver: Receiver;

  before(async () => {
    site = await Site.create(database);
    await site.location('HALL-1');
    await database.rows('insert into move_heads (org_id, head, oldest) values ($1, 48123, 101)', [
      site.orgId,
    ]);
    receiver = await startReceiver();
  });

  after(() => receiver.close());

  async function tagtrail(args: string[], settings: Record<string, string> = {}) {
    const environment = {
      DATABASE_URL: database.url,
      SECRETS_KEY: key,
      WEBHOOK_NETWORKS: '127.0.0.0/8',
      TAGTRAIL_DATA: '/nowhere',
      ...settings,
    };
    return runCommand(['webhook', ...args], environment);
  }

  async function json(...args: string[]) {
    const { status, stdout, stderr } = await tagtrail([...args, '--json']);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  const create = (...args: string[]) =>
    json('create', '--org', String(site.orgId), '--url', receiver.url, ...args);

  it('creates one at the head of the feed, with a secret that is shown once and stored encrypted', async () => {
    const webhook = await create(
      '--types',
      'tagtrail.asset.moved.v1',
      '--location',
      'HALL-1',
      '--name',
      'ERP',
      '--settle-seconds',
      '5',
    );
    expect(webhook).to.deep.include({
      org_id: site.orgId,
      name: 'ERP',
      url: receiver.url,
      types: ['tagtrail.asset.moved.v1'],
      location_external_key: 'HALL-1',
      settle_seconds: 5,
      state: 'on',
      state_reason: null,
    });
    expect(webhook.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const rows = await database.rows<{ all: string }>(
      `select row_to_json(webhook_secrets)::text || encode(sealed, 'base64') as all from webhook_secrets`,
    );
    const secret = Buffer.from(webhook.secret.slice(6), 'base64');
    const [{ sealed }] = (await database.rows('select sealed from webhook_secrets')) as [{ sealed: Buffer }];
    expect(rows).to.have.length(1);
    expect(sealed.includes(secret)).to.equal(false);
    const [listed] = await json('list', '--org', String(site.orgId));
    expect(listed).to.deep.include({ id: webhook.id, position: 48123, head: 48123, last_attempt: null });
    expect(listed).not.to.have.property('secret');
    expect(listed.secrets_since).to.have.length(1);
  });

  it('begins after a position that the feed has, and refuses others', async () => {
    const { id } = await create('--after', '100');
    const lanes = await database.rows(
      'select lane::integer, position from webhook_lanes where webhook_id = $1 order by lane',
      [id],
    );
    expect(lanes).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7].map((lane) => ({ lane, position: 100 })));
    for (const after of ['99', '48124']) {
      const { status, stderr } = await tagtrail([
        'create',
        '--org',
        String(site.orgId),
        '--url',
        receiver.url,
        '--after',
        after,
      ]);
      expect(status).to.equal(2);
      expect(stderr).to.include(`Position ${after}`).and.include('100 to 48123');
    }
    const { after } = await json('replay', '--webhook', String(id), '--after', '48000');
    expect(after).to.equal(48_000);
    const [row] = await database.rows(
      'select min(position) as position from webhook_lanes where webhook_id = $1',
      [id],
    );
    expect(row).to.deep.equal({ position: 48_000 });
    // 0 is everything that is kept, of which there was more once.
    expect(await json('replay', '--webhook', String(id), '--after', '0')).to.include({ after: 100 });
    const whole = await create('--after', '0');
    const listed = await json('list', '--org', String(site.orgId));
    expect(listed.map((webhook: { id: number; position: number }) => [webhook.id, webhook.position]))
      .to.deep.include([id, 100])
      .and.to.deep.include([whole.id, 100]);
  });

  it('refuses what cannot be, names the remedy, and creates nothing', async () => {
    const count = async () => (await database.rows('select from webhooks')).length;
    const before = await count();
    const org = String(site.orgId);
    const refused: [string[], number, string, Record<string, string>?][] = [
      [['--org', org, '--url', 'https://10.0.0.1/'], 2, 'WEBHOOK_NETWORKS'],
      [['--org', org, '--url', 'http://127.0.0.1/'], 2, 'WEBHOOK_NETWORKS', { WEBHOOK_NETWORKS: '' }],
      [['--org', org, '--url', 'https://169.254.169.254/'], 2, 'always refused, whatever WEBHOOK_NETWORKS'],
      [['--org', org, '--url', 'https://user:pw@example.com/'], 2, 'user name or password'],
      [['--org', org, '--url', 'ftp://example.com/'], 2, 'must begin with https://'],
      [['--org', org, '--url', receiver.url, '--types', 'moved'], 2, 'Unknown type moved'],
      [['--org', org, '--url', receiver.url, '--settle-seconds', '61'], 2, 'from 0 to 60'],
      [['--org', org, '--url', receiver.url, '--location', 'HALL-9'], 1, 'Location HALL-9 not found'],
      [['--org', '9999', '--url', receiver.url], 1, 'Organization 9999 not found'],
      [['--org', org, '--url', receiver.url], 1, 'SECRETS_KEY', { SECRETS_KEY: '' }],
      [['--org', org, '--url', receiver.url], 1, 'SECRETS_KEY is not valid', { SECRETS_KEY: 'abc' }],
      [['--org', org, '--url', receiver.url], 1, 'WEBHOOK_NETWORKS is "10/8"', { WEBHOOK_NETWORKS: '10/8' }],
    ];
    for (const [args, status, message, settings] of refused) {
      const ended = await tagtrail(['create', ...args], settings);
      expect({ args, status: ended.status }).to.deep.equal({ args, status });
      expect(ended.stderr).to.include(message);
    }
    expect(await count()).to.equal(before);
  });

  it('changes one, and leaves what is not named as it is', async () => {
    const { id, secret } = await create('--name', 'WMS', '--location', 'HALL-1');
    const webhook = String(id);
    const changed = await json(
      'set',
      '--webhook',
      webhook,
      '--state',
      'paused',
      '--location',
      'none',
      '--types',
      'all',
      '--settle-seconds',
      '60',
    );
    expect(changed).to.deep.include({
      settle_seconds: 60,
      name: 'WMS',
      state: 'paused',
      location_external_key: null,
      types: null,
    });
    expect(changed).not.to.have.property('secret');
    const rotated = await json('set', '--webhook', webhook, '--rotate-secret');
    expect(rotated.secret)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    await json('set', '--webhook', webhook, '--rotate-secret');
    expect(await database.rows('select from webhook_secrets where webhook_id = $1', [id])).to.have.length(2);
    await json('set', '--webhook', webhook, '--drop-old-secret');
    expect(await database.rows('select from webhook_secrets where webhook_id = $1', [id])).to.have.length(1);
    const nothing = await tagtrail(['set', '--webhook', webhook]);
    expect(nothing.status).to.equal(2);
    expect(nothing.stderr).to.include('Nothing to change');
  });

  it('sends a test event that verifies and parses, and keeps the attempt', async () => {
    const { id, secret } = await create('--name', 'MES');
    const at = receiver.received.length;
    receiver.answer = (response) => response.writeHead(200).end('thanks');
    const said = await json('test', '--webhook', String(id));
    expect(said).to.deep.include({ delivered: true, status: 200, answer: 'thanks' });
    const one = receiver.received[at];
    const headers = one?.headers as Record<string, string>;
    new Webhook(secret).verify(one?.body ?? '', headers);
    expect(HTTP.toEvent({ headers, body: one?.body ?? '' })).to.deep.include({
      type: 'tagtrail.webhook.test.v1',
      id: headers['webhook-id'],
      data: { webhook: { id, name: 'MES' } },
    });
    receiver.answer = (response) => response.writeHead(500).end('no');
    const failed = await tagtrail(['test', '--webhook', String(id)]);
    expect(failed).to.deep.include({ status: 1, stderr: '' });
    expect(failed.stdout).to.include('Not delivered: Answered 500');
    receiver.answer = (response) => response.writeHead(204).end();
    const attempts = await json('attempts', '--webhook', String(id));
    expect(attempts).to.have.length(2);
    expect(attempts[0]).to.deep.include({
      status: 500,
      error: null,
      answer: 'no',
      position: null,
      attempt: 1,
    });
    expect(attempts[1]).to.deep.include({ status: 200, event_id: headers['webhook-id'] });
  });

  it('deletes one with its secrets, attempts and lanes', async () => {
    const { id } = await create();
    const webhook = String(id);
    await json('test', '--webhook', webhook);
    expect(await json('delete', '--webhook', webhook)).to.include({ id, url: receiver.url });
    for (const table of ['webhook_secrets', 'webhook_attempts', 'webhook_lanes']) {
      expect(await database.rows(`select from ${table} where webhook_id = $1`, [id]), table).to.deep.equal(
        [],
      );
    }
    for (const args of [
      ['set', '--state', 'on'],
      ['delete'],
      ['test'],
      ['attempts'],
      ['replay', '--after', '101'],
    ]) {
      const ended = await tagtrail([...args, '--webhook', webhook]);
      expect({ args, status: ended.status }).to.deep.equal({ args, status: 1 });
      expect(ended.stderr).to.include(`Webhook ${webhook} not found`);
    }
  });

  it('shows them as tables for people', async () => {
    const list = await tagtrail(['list', '--org', String(site.orgId)]);
    expect(list.stdout)
      .to.match(/^id +name +state +position +of/m)
      .and.include('ERP');
  });

  it('says which key is missing where secrets were encrypted with another, and goes on with both', async () => {
    const { id } = await create();
    const other = newSecretsKey();
    const refused = await tagtrail(['test', '--webhook', String(id)], { SECRETS_KEY: other });
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.include('another SECRETS_KEY').and.include('--rotate-secret');
    const both = await tagtrail(['test', '--webhook', String(id)], { SECRETS_KEY: `${other},${key}` });
    expect(both.status).to.equal(0);
  });

  it('makes no secret with a key that the service cannot have, but goes on after a key was lost', async () => {
    const { id } = await create();
    const other = { SECRETS_KEY: newSecretsKey() };
    const org = String(site.orgId);
    const count = async () => (await database.rows('select from webhook_secrets')).length;
    const before = await count();
    for (const args of [
      ['create', '--org', org, '--url', receiver.url],
      ['set', '--webhook', String(id), '--rotate-secret'],
    ]) {
      const refused = await tagtrail(args, other);
      expect(refused).to.include({ status: 1, stdout: '' });
      expect(refused.stderr).to.match(/^SECRETS_KEY differs from .*service's value/);
    }
    expect(await count()).to.equal(before);
    const both = { SECRETS_KEY: `${other.SECRETS_KEY},${key}` };
    expect(await tagtrail(['create', '--org', org, '--url', receiver.url], both)).to.include({ status: 0 });
    const lost = { SECRETS_KEY: newSecretsKey() };
    const anew = ['set', '--webhook', String(id), '--rotate-secret', '--drop-old-secret'];
    expect(await tagtrail(anew, lost)).to.include({ status: 0 });
    expect(await tagtrail(['create', '--org', org, '--url', receiver.url], lost)).to.include({ status: 0 });
  });

  it('makes the key beside the embedded database, for its owner only', async () => {
    const data = mkdtempSync(join(tmpdir(), 'tagtrail-key-'));
    try {
      const settings = { DATABASE_URL: '', SECRETS_KEY: '', TAGTRAIL_DATA: data };
      const nowhere = await tagtrail(['create', '--org', '1', '--url', receiver.url], settings);
      expect(nowhere.stderr).to.include(`There is no database in TAGTRAIL_DATA, ${data}`);
      expect(readdirSync(data)).to.deep.equal([]);
      chmodSync(data, 0o711);
      await onEmbedded(data, async () => {});
      const { status, stderr } = await tagtrail(['create', '--org', '1', '--url', receiver.url], settings);
      expect({ status, stderr }).to.deep.equal({ status: 1, stderr: 'Organization 1 not found\n' });
      const file = join(data, 'secrets-key');
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      const written = readFileSync(file, 'utf8');
      await tagtrail(['create', '--org', '1', '--url', receiver.url], settings);
      expect(readFileSync(file, 'utf8')).to.equal(written);
      writeFileSync(file, 'not a key\n');
      const refused = await tagtrail(['create', '--org', '1', '--url', receiver.url], settings);
      expect(refused.stderr).to.include('is no key for secrets');
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });
});
