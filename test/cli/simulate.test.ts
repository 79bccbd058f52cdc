import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Aedes } from 'aedes';
import { expect } from 'chai';
import type { TruthDocument } from '../../simulation/truth/document.ts';
import { appendMoves } from '../support/feed-rows.ts';
import { itByNight } from '../support/random-sets.ts';
import { useSimulate } from '../support/simulate.ts';
import { Site } from '../support/site.ts';

describe('tagtrail simulate', () => {
  const { api, folder, file, start, simulate, simulated, checked } = useSimulate();
  const { database } = api;
  const GROUPS = {
    'RFID readers': 'zebra-iotc,impinj-r700,csl-cs463,keonn-advannet',
    'RFID readers behind other software':
      'tagtrail,impinj-smartreader,impinj-speedway-connect,edgex-llrp,zebra-rfd40',
    'Bluetooth gateways': 'minew-json,moko-mk107,moko-mkgw,ingics,glinet-gls10',
    'Bluetooth gateways with a topic for each tag': 'ruuvi-gateway,openmqttgateway',
  };
  for (const [group, formats] of Object.entries(GROUPS)) {
    const test = group === 'RFID readers' ? it : itByNight;
    test(`knows what ${group} make true`, async () => {
      const truth = await simulated(
        ...['--format', formats, '--readers', String(formats.split(',').length)],
        ...['--assets', '40', '--rate', '200', '--duration', '3'],
      );
      expect(truth.readers.reduce((total, { reads }) => total + reads, 0)).to.be.within(500, 600);
      expect(truth.readers.map(({ format }) => format).join()).to.equal(formats);
      const { events, ...result } = await checked();
      expect(events).to.be.at.least(truth.assets.reduce((rows, { history }) => rows + history.length, 0));
      expect(result).to.deep.equal({
        status: 0,
        assets: 40,
        rows: truth.assets.reduce((rows, { history }) => rows + history.length, 0),
        readers: truth.readers.length,
        site_changed: false,
        undecided: [],
        differences: [],
        feed_differences: [],
        presence: null,
        alerts: null,
      });
    });
  }

  it('finds histories that are not those of the move feed, through the database and through the API', async () => {
    const { orgId, key } = await api.organization('Damaged');
    await simulate(['--org', String(orgId), '--assets', '5', '--duration', '2', '--truth', file]);
    expect(await checked()).to.include({ status: 0 });
    const [asset] = await database.rows<{ id: number; key: string; locationId: number }>(
      `select assets.id, external_key as key, location_id as "locationId"
       from assets join positions on positions.org_id = assets.org_id and positions.asset_id = assets.id
       where assets.org_id = $1 and location_id is not null limit 1`,
      [orgId],
    );
    const since = '2026-05-01T10:00:00.000Z';
    await appendMoves(database, orgId, [
      { assetId: asset?.id ?? 0, locationId: asset?.locationId ?? 0, since },
    ]);
    const results = await Promise.all([checked(), checked('--api', api.url, '--key', key)]);
    for (const { status, differences, feed_differences: found } of results) {
      expect({ status, differences }).to.deep.equal({ status: 1, differences: [] });
      expect(found).to.have.length(1);
      expect(found[0]).to.include({ of: asset?.key, what: 'history by the feed', truth: 'nothing' });
      expect(found[0].answer).to.include(since);
    }
  });

  const simulatedIn = async (orgId: number, ...args: string[]): Promise<TruthDocument> => {
    const { status, stderr } = await simulate(['--org', String(orgId), '--truth', file, ...args]);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return JSON.parse(readFileSync(file, 'utf8'));
  };

  itByNight(
    'knows what strength decides: in a hall of carts, and where neighbouring antennas overlap',
    async () => {
      const site = await Site.create(database, 'Strong');
      await database.rows(
        `insert into location_settings (org_id, procedure, certainty, valid_from)
       values ($1, 'strength', 1, now() - interval '1 day')`,
        [site.orgId],
      );
      const truth = await simulatedIn(
        site.orgId,
        ...['--hall', '6', '--assets', '20', '--rate', '100', '--duration', '12'],
        ...['--faults', 'flapping,late,duplicates,outage'],
      );
      const carts = truth.assets.filter(({ asset }) => asset.startsWith('SIM-CART-'));
      expect(carts.every(({ undecided }) => undecided === null)).to.equal(true);
      expect(carts.filter(({ history }) => history.length > 0)).to.have.lengthOf.at.least(5);
      // Every scan counted, each cart would move hundreds of times.
      expect(carts.every(({ history }) => history.length < 12)).to.equal(true);
      expect(await checked()).to.deep.include({
        ...{ status: 0, differences: [], feed_differences: [], undecided: [], site_changed: false },
      });
    },
  );

  itByNight('names a change of what decides locations where histories differ since', async () => {
    const { orgId } = await api.organization('Changed');
    const truth = await simulatedIn(orgId, '--hall', '1', '--assets', '5', '--duration', '4');
    const asset = truth.assets.find(({ history }) => history.length > 0)?.asset;
    await database.rows(
      'delete from location_transitions where asset_id = (select id from assets where org_id = $1 and external_key = $2)',
      [orgId, asset],
    );
    expect(await checked()).to.include({ status: 1, site_changed: false });
    await database.rows(
      `insert into location_settings (org_id, procedure, certainty, valid_from) values ($1, 'strength', 2, now())`,
      [orgId],
    );
    expect(await checked()).to.include({ status: 1, site_changed: true });
    const { stdout } = await simulate(['--check', file]);
    expect(stdout).to.include('What locations are decided by was changed after the run');
  });

  it('begins anew each time, with the same locations, and leaves what is not its own alone', async () => {
    const site = await Site.create(database, 'Beside');
    const readers = await site.reader('SIM-READER-01', [await site.location('SIM-DOCK-1')], {
      topic: 'somewhere/else',
    });
    const asset = await site.asset('SIM-OTHER-001', 'E2801160');
    const args = [
      '--org',
      String(site.orgId),
      '--prefix',
      'TRY-',
      '--duration',
      '1',
      '--truth',
      'none',
      '--json',
    ];
    const live = async (table: string) =>
      (
        await database.rows<{ id: number }>(
          `select id from ${table} where org_id = $1 and deleted_at is null order by id`,
          [site.orgId],
        )
      ).map(({ id }) => id);
    expect((await simulate(args)).status).to.equal(0);
    const before = { locations: await live('locations'), assets: await live('assets') };
    expect((await simulate([...args, '--assets', '7', '--readers', '2'])).status).to.equal(0);
    expect(await live('locations')).to.deep.equal(before.locations);
    const assets = await live('assets');
    expect(assets).to.have.length(8).and.include(asset);
    expect(assets.filter((id) => before.assets.includes(id))).to.deep.equal([asset]);
    const unnoticed =
      'select from assets where org_id = $1 and deleted_at is not null and updated_at = created_at';
    expect(await database.rows(unnoticed, [site.orgId])).to.deep.equal([]);
    expect(await live('readers'))
      .to.have.length(3)
      .and.include(readers);
  });

  it('refuses a prefix under which there are assets of somebody', async () => {
    const site = await Site.create(database, 'Own');
    const asset = await site.asset('SIM-PALLET-001');
    const { status, stderr } = await simulate([
      '--org',
      String(site.orgId),
      '--duration',
      '1',
      '--truth',
      file,
    ]);
    expect({ status, stderr }).to.deep.equal({
      status: 1,
      stderr: 'SIM-PALLET-001 is an asset of your own; choose another --prefix\n',
    });
    const rows = await database.rows('select deleted_at from assets where id = $1', [asset]);
    expect(rows).to.deep.equal([{ deleted_at: null }]);
  });

  itByNight('ends in order at Ctrl-C, and still writes the truth', async () => {
    const program = start([
      ...['--org', String(api.orgId), '--truth', file],
      ...['--faults', 'all', '--rate', '100', '--format', 'tagtrail'],
    ]);
    const recorded = async () =>
      (
        await database.rows<{ count: number }>(
          `select coalesce(sum(recorded), 0)::integer as count from reader_counters join readers
             on readers.org_id = reader_counters.org_id and readers.id = reader_counters.reader_id
           where readers.org_id = $1 and readers.deleted_at is null and readers.format = 'tagtrail'`,
          [api.orgId],
        )
      )[0]?.count ?? 0;
    while ((await recorded()) < 100) {
      expect(program.child.exitCode, program.stderr()).to.equal(null);
    }
    program.child.kill('SIGINT');
    const status = await program.ended;
    const [stdout, stderr] = [program.stdout(), program.stderr()];
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(stdout).to.include(`npx --no -- tagtrail simulate --check ${file}`);
    expect(await checked()).to.deep.include({ status: 0, differences: [] });
  });

  describe('with a broker of somebody else', () => {
    const seen: { topic: string; username: string | undefined }[] = [];
    let broker: Aedes;
    let server: Server;
    let port = 0;
    before(async () => {
      const usernames = new Map<string, string | undefined>();
      broker = await Aedes.createBroker({
        authenticate: (client, username, _password, done) => {
          usernames.set(client.id, username);
          done(null, username !== 'nobody');
        },
        authorizePublish: (client, { topic }, done) => {
          seen.push({ topic, username: usernames.get(client?.id ?? '') });
          done(null);
        },
      });
      server = createServer((socket) => broker.handle(socket)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as { port: number }).port;
    });
    after(async () => {
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      await new Promise((resolve) => server.close(resolve));
    });
    const publishTo = (url: string, truth: string) =>
      simulate(['--org', String(api.orgId), '--readers', '1', '--truth', truth], { MQTT_URL: url });

    it('says that what is published does not arrive where no ingestion listens', async () => {
      const never = join(folder, 'never.json');
      const { status, stdout, stderr } = await publishTo(`mqtt://user:secret@127.0.0.1:${port}`, never);
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr).to.include(`mqtt://127.0.0.1:${port} does not arrive`).and.not.include('secret');
      expect(existsSync(never)).to.equal(false);
      expect(new Set(seen.map(({ username }) => username))).to.deep.equal(new Set(['user']));
      expect(seen[0]?.topic).to.equal(`simulation/${api.orgId}/SIM-/SIM-READER-01`);
    });

    it('says that the broker refuses its readers', async () => {
      const { status, stderr } = await publishTo(`mqtt://nobody:x@127.0.0.1:${port}`, 'none');
      expect(status).to.equal(1);
      expect(stderr).to.include(`The broker at mqtt://127.0.0.1:${port} refuses`);
    });

    it('says that there is none', async () => {
      const { status, stderr } = await publishTo('mqtt://127.0.0.1:1', 'none');
      expect(status).to.equal(1);
      expect(stderr).to.include('No broker answers at mqtt://127.0.0.1:1').and.include('correct MQTT_URL');
    });
  });

  const WRONG: [message: string, ...args: string[]][] = [
    ['--org is needed', '--duration', '1'],
    ['whole number from 1 to 200', '--org', '1', '--readers', '0'],
    ['--format must be mixed, or some of zebra-iotc', '--org', '1', '--format', 'zebra'],
    ['--faults must be none, all, or some of dead-reader', '--org', '1', '--faults', 'fire'],
    ['--speed needs a --duration', '--org', '1', '--speed', '10'],
    ['more than a week', '--org', '1', '--speed', '10000', '--duration', '600'],
    [
      'openmqttgateway bring no time',
      '--org',
      '1',
      '--speed',
      '2',
      '--duration',
      '1',
      '--format',
      'openmqttgateway',
    ],
    ['--continuous needs --speed 1', '--org', '1', '--continuous', '30s', '--speed', '2', '--duration', '1'],
    ['duration from 6s to 1d', '--org', '1', '--continuous', '30'],
    ['letters, digits and hyphens', '--org', '1', '--prefix', 'A/B'],
    ['--truth cannot be written', '--org', '1', '--truth', '/'],
    ['--check cannot be read', '--check', '/nowhere.json'],
  ];
  for (const [message, ...args] of WRONG) {
    it(`refuses with status 2: ${args.join(' ')}`, async () => {
      const { status, stdout, stderr } = await simulate(args);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr).to.include(message);
    });
  }

  it('fails on a file that no simulation has written', async () => {
    const { status, stdout, stderr } = await simulate(['--check', 'package.json']);
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
    expect(stderr).to.include('is not the truth of a simulation');
  });

  it('needs a key to check through the API, and says so when it is wrong', async () => {
    writeFileSync(file, JSON.stringify({ version: 1, org_id: api.orgId, assets: [], readers: [] }));
    const withoutKey = await simulate(['--check', file, '--api', api.url]);
    expect(withoutKey.status).to.equal(2);
    expect(withoutKey.stderr).to.include('TAGTRAIL_API_KEY');
    const wrong = await simulate(['--check', file, '--api', api.url], { TAGTRAIL_API_KEY: 'tt_wrong' });
    expect(wrong.status).to.equal(1);
    expect(wrong.stderr).to.include('401');
  });
});
