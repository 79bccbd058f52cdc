import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { commandLineOn, runCommand } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

describe('the command line', () => {
  const database = useDatabase();
  let site: Site;
  before(async () => {
    site = await Site.create(database);
  });

  const { tagtrail, json, fails } = commandLineOn(() => database);

  describe('migrate', () => {
    it('says what it applied and where the database is', async () => {
      const current = readdirSync('db/timescale/schema/migrations')
        .sort()
        .at(-1)
        ?.replace(/\.sql$/, '');
      expect(await json('migrate')).to.deep.equal({ applied: [], current });
    });
  });

  describe('org create', () => {
    it('adds an organization', async () => {
      const org = await json('org', 'create', '--name', 'Acme Logistics');
      expect(await database.rows('select name from organizations where id = $1', [org.id])).to.deep.equal([
        { name: 'Acme Logistics' },
      ]);
      expect(org).to.deep.equal({ id: org.id, name: 'Acme Logistics' });
    });

    it('refuses a name that cannot be', () => fails(2, '1 to 255', 'org', 'create', '--name', ''));
    it('asks for the name', () => fails(2, '--name', 'org', 'create'));
  });

  describe('key create', () => {
    const create = (...args: string[]) => [
      'key',
      'create',
      '--org',
      String(site.orgId),
      '--name',
      'erp',
      ...args,
    ];

    it('issues a key of which only a digest is stored', async () => {
      const made = await json(
        ...create('--scopes', 'assets:read,tracking:read', '--expires-at', '2100-01-01T00:00:00Z'),
      );
      expect(made.key).to.match(new RegExp(`^tt_${made.id}_[A-Za-z0-9_-]{43}$`));
      const [row] = await database.rows(
        `select scopes, expires_at::text, secret_sha256 = sha256(convert_to(right($2, 43), 'UTF8')) as is_digest
         from api_keys where id = $1`,
        [made.id, made.key],
      );
      expect(row).to.deep.equal({
        scopes: ['assets:read', 'tracking:read'],
        expires_at: '2100-01-01 00:00:00+00',
        is_digest: true,
      });
    });

    it('issues a key without scopes', async () => {
      const { id } = await json(...create('--scopes', ''));
      expect(await database.rows('select scopes from api_keys where id = $1', [id])).to.deep.equal([
        { scopes: [] },
      ]);
    });

    it('refuses a scope there is not, and names those there are', () =>
      fails(2, 'assets:write', ...create('--scopes', 'assets:all')));
    it('refuses a time that is none', () =>
      fails(2, 'RFC 3339', ...create('--scopes', '', '--expires-at', 'tomorrow')));
    it('says that there is no such organization', () =>
      fails(1, 'Organization 999 not found', 'key', 'create', '--org', '999', '--name', 'x', '--scopes', ''));
  });

  describe('reader create', () => {
    const create = (name: string, topic: string, ...more: string[]) => [
      'reader',
      'create',
      '--org',
      String(site.orgId),
      '--name',
      name,
      '--topic',
      topic,
      '--format',
      ...more,
    ];

    it('says how to place its antennas: by port, or by the names that its make gives them', async () => {
      const hint = async (format: string) =>
        (await tagtrail(...create(`Of ${format}`, `hints/${format}`, format))).stdout.split('Next: ')[1];
      expect(await hint('zebra-iotc')).to.match(/antenna set --reader \d+ --port 1 --location/);
      for (const format of ['espresense', 'wirepas', 'chirpstack', 'aruba-iot', 'sick-rfu']) {
        expect(await hint(format)).to.match(
          /antenna set --reader \d+ --name <name> --location[\s\S]*reader antennas/,
        );
      }
    });

    it('registers a reader with its login and antenna 1', async () => {
      const reader = await json(
        ...create('Dock 2', 'site/dock-2/+', 'csl-cs463', '--time', 'receive', '--report-unknown', 'off'),
      );
      const { id, mqtt_username: username, mqtt_password: password, ...named } = reader;
      const { push_path: path, ...shown } = named;
      expect(shown).to.deep.equal({ name: 'Dock 2', topic: 'site/dock-2/+' });
      expect(path).to.equal(`/readers/v1/${id}`);
      const [row] = await database.rows(
        `select time_policy, report_unknown, identity_policy, array(select port from antennas where reader_id = id) as ports,
           mqtt_username = $2 and mqtt_password_sha256 = sha256(convert_to($3, 'UTF8')) as is_login
         from readers where id = $1`,
        [id, username, password],
      );
      expect(row).to.deep.equal({
        time_policy: 'receive',
        report_unknown: false,
        identity_policy: null,
        ports: [1],
        is_login: true,
      });
    });

    it("refuses a topic that overlaps with another reader's, and names that one", async () => {
      await json(...create('a', 'yard/+/reads', 'tagtrail'));
      await fails(1, 'yard/+/reads', ...create('b', 'yard/1/reads', 'tagtrail'));
    });

    it('refuses one of two overlapping registrations at the same time', async () => {
      const both = await Promise.all(
        ['c', 'd'].map((name) => tagtrail(...create(name, 'race/#', 'tagtrail'))),
      );
      expect(both.map(({ status }) => status).sort()).to.deep.equal([0, 1]);
    });

    it('refuses a name that is taken', async () => {
      await json(...create('e', 'e', 'tagtrail'));
      await fails(1, 'already exists', ...create('e', 'e2', 'tagtrail'));
    });

    it('refuses a format there is not, and names those there are', () =>
      fails(2, 'zebra-iotc', ...create('f', 'f', 'zebra')));
    it('refuses a topic that is none', () => fails(2, 'whole level', ...create('g', 'a+b', 'tagtrail')));
    it('refuses a policy that is none', () =>
      fails(2, 'device, receive', ...create('h', 'h', 'tagtrail', '--time', 'guess')));
  });

  describe('antenna set', () => {
    let reader: string;
    const set = (...args: string[]) => ['antenna', 'set', '--reader', reader, '--port', '2', ...args];
    before(async () => {
      reader = String(await site.reader('portal', [null]));
      await site.location('DOCK-7');
    });

    it('sets what is given and keeps the rest', async () => {
      const antenna = { reader_id: Number(reader), created: false, port: 2, name: null };
      expect(await json(...set('--location', 'DOCK-7', '--min-rssi', '-65'))).to.deep.equal({
        ...antenna,
        created: true,
        location_external_key: 'DOCK-7',
        min_rssi: -65,
        ...{ enabled: true, offset_db: 0, height_m: 1 },
      });
      expect(
        await json(...set('--min-rssi=-60.5', '--disable', '--offset-db', '-3', '--height-m', '2.4')),
      ).to.deep.equal({
        ...antenna,
        location_external_key: 'DOCK-7',
        min_rssi: -60.5,
        ...{ enabled: false, offset_db: -3, height_m: 2.4 },
      });
      expect(await json(...set('--location', 'none', '--min-rssi', 'none', '--enable'))).to.deep.equal({
        ...antenna,
        location_external_key: null,
        min_rssi: null,
        ...{ enabled: true, offset_db: -3, height_m: 2.4 },
      });
    });

    it('says that an antenna is new, which can be removed', async () => {
      const mistyped = ['--reader', reader, '--port', '9'];
      const made = await tagtrail('antenna', 'set', ...mistyped, '--location', 'DOCK-7');
      expect(made.stdout).to.match(/^New antenna 9 of reader/);
      const ports = async () =>
        (await json('reader', 'antennas', '--reader', reader)).antennas.map(
          ({ port }: { port: number }) => port,
        );
      expect(await ports()).to.include(9);
      const removed = await tagtrail('antenna', 'remove', ...mistyped);
      expect(removed.stdout).to.equal(`Antenna 9 of reader ${reader} is removed\n`);
      expect(await ports()).not.to.include(9);
      const versions = await database.rows(
        'select location_id, is_enabled from antenna_versions where reader_id = $1 and port = 9 order by since',
        [Number(reader)],
      );
      expect(versions.at(-1)).to.deep.equal({ location_id: null, is_enabled: false });
      await fails(1, 'has no antenna 9', 'antenna', 'remove', ...mistyped);
    });
    it('says that there is no such location', () =>
      fails(1, 'NOWHERE not found', ...set('--location', 'NOWHERE')));
    it('says that there is no such reader', () =>
      fails(1, 'Reader 4000 not found', 'antenna', 'set', '--reader', '4000', '--port', '1'));
    it('refuses to enable and disable at once', () => fails(2, '--disable', ...set('--enable', '--disable')));
    it('refuses a bound that is no number', () => fails(2, '-65', ...set('--min-rssi', 'weak')));
    it('refuses a bound that no radio hears', async () => {
      for (const bound of ['0', '127', '-150']) {
        await fails(2, 'less than 0', ...set(`--min-rssi=${bound}`));
      }
    });
    it('refuses an offset and a height that cannot be', async () => {
      await fails(2, '-100 to 100 dB', ...set('--offset-db', '101'));
      await fails(2, '-100 to 100 dB', ...set('--offset-db', 'much'));
      await fails(2, '0 to 100 metres', ...set('--height-m=-1'));
    });
    it('refuses a port that cannot be', () =>
      fails(2, '65535', 'antenna', 'set', '--reader', reader, '--port', '0'));
  });

  it('shows help with an example', async () => {
    const { status, stdout } = await tagtrail('reader', 'create', '--help');
    expect(status).to.equal(0);
    expect(stdout).to.include('npx --no -- tagtrail reader create --org 1');
  });

  it('refuses a command there is not', () => fails(2, "unknown command 'reeder'", 'reeder'));

  it('names DATABASE_URL where no database is', async () => {
    const { status, stderr } = await runCommand(['migrate'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(status).to.equal(1);
    expect(stderr).to.match(/^The database at DATABASE_URL \(127\.0\.0\.1:1\/none\) cannot be reached/);
  });

  it('names DATABASE_URL where it is no address, without repeating it', async () => {
    const { status, stderr } = await runCommand(['migrate'], {
      DATABASE_URL: 'mysql://user:secret@host/db',
    });
    expect(status).to.equal(1);
    expect(stderr).to.include('DATABASE_URL').and.not.include('secret');
  });
});
