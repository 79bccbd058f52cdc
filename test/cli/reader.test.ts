import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { useIngest } from '../support/ingest.ts';
import { countersOf } from '../support/intake.ts';
import { Site } from '../support/site.ts';
import { storeAnyFormat } from '../support/stored-format.ts';

/** Of a format that knows beacons by their MAC only. */
const MACS = { tag_type: [{ const: 'ble' }], value: [{ item: '/mac', identity: 'mac' }] };

describe('the command line of readers', () => {
  const database = useDatabase();
  const ingest = useIngest(database);
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let site: Site;
  let number = 0;

  before(async () => {
    site = await Site.create(database);
  });

  /** A reader of a name and topic of its own. */
  async function reader(locationId: number | null = null) {
    const name = `portal-${++number}`;
    return { id: String(await site.reader(name, [locationId], { topic: `topic/${name}` })), name };
  }
  /** Whether the broker lets the reader in. */
  const isLetIn = (name: string, password: string) =>
    ingest.connect(name, { password, clientId: `${name}-${password}-${++number}` }).then(
      () => true,
      () => false,
    );
  /** The broker hears of changes within moments; the suite's timeout is the bound. */
  async function untilIsLetIn(expected: boolean, name: string, password: string) {
    while ((await isLetIn(name, password)) !== expected) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const set = (id: string, ...args: string[]) => ['reader', 'set', '--reader', id, ...args];

  describe('reader set', () => {
    it('changes what is given and keeps the rest', async () => {
      const { id, name } = await reader();
      const changed = await json(
        ...set(
          id,
          '--topic',
          'yard/1',
          '--format',
          'csl-cs463',
          '--time',
          'receive',
          '--report-unknown',
          'off',
        ),
      );
      const expected = {
        id: Number(id),
        name,
        topic: 'yard/1',
        format: 'csl-cs463',
        time: 'receive',
        identity: null,
        report_unknown: 'off',
        expect_seconds: null,
        mqtt_username: name,
      };
      expect(changed).to.deep.equal(expected);
      expect(
        await json(...set(id, '--name', 'Yard 1', '--time', 'default', '--report-unknown', 'default')),
      ).to.deep.equal({
        ...expected,
        name: 'Yard 1',
        time: null,
        report_unknown: null,
      });
      const [row] = await database.rows(
        'select name, topic, format, time_policy, report_unknown from readers where id = $1',
        [id],
      );
      expect(row).to.deep.equal({
        name: 'Yard 1',
        topic: 'yard/1',
        format: 'csl-cs463',
        time_policy: null,
        report_unknown: null,
      });
    });

    it('expects of a reader what is set from then on, until that is to be learned again', async () => {
      const { id } = await reader();
      expect(await json(...set(id, '--expect', '2m'))).to.include({ expect_seconds: 120 });
      expect(await json(...set(id, '--expect', '120s'))).to.include({ expect_seconds: 120 });
      expect(await json(...set(id, '--expect', 'learned'))).to.include({ expect_seconds: null });
      const dated = await database.rows(
        'select origin, seconds from reader_expectations where reader_id = $1 order by valid_from',
        [id],
      );
      expect(dated).to.deep.equal([
        { origin: 'set', seconds: 120 },
        { origin: 'set', seconds: null },
      ]);
      await fails(2, 'from 15s to 1d', ...set(id, '--expect', '5s'));
      await fails(2, 'from 15s to 1d', ...set(id, '--expect', '25h'));
      await fails(2, 'from 15s to 1d', ...set(id, '--expect', 'soon'));
    });

    it('sets what is expected of a reader 200 times, and says what to do then', async () => {
      const { id } = await reader();
      await database.rows(
        `insert into reader_expectations (org_id, reader_id, origin, seconds, valid_from)
         select $1, $2, 'set', 20 + at, now() - (201 - at) * interval '1 minute' from generate_series(1, 199) at`,
        [site.orgId, id],
      );
      expect(await json(...set(id, '--expect', '60s'))).to.include({ expect_seconds: 60 });
      const refusal = `The expected time of reader ${id} was set 200 times, the maximum is 200; register the reader again`;
      await fails(1, refusal, ...set(id, '--expect', '61s'));
      expect(await json(...set(id, '--expect', '60s', '--name', 'kept'))).to.include({ name: 'kept' });
    });
    it('makes a new password, with which alone the reader can log in from then on', async () => {
      const { id, name } = await reader();
      await ingest.connect(name);
      const { mqtt_password: password } = await json(...set(id, '--new-password'));
      expect(password).to.match(/^[\w-]{32}$/);
      await untilIsLetIn(true, name, password);
      expect(await isLetIn(name, name)).to.equal(false);
    });

    it('keeps its own topic and name free for itself', async () => {
      const { id, name } = await reader();
      expect((await json(...set(id, '--name', name, '--topic', `topic/${name}/#`))).topic).to.equal(
        `topic/${name}/#`,
      );
    });

    it('refuses a topic of more than 512 bytes or 32 levels, also for a new reader', async () => {
      const { id } = await reader();
      const create = [
        'reader',
        'create',
        '--org',
        String(site.orgId),
        '--name',
        'deep',
        '--format',
        'tagtrail',
      ];
      for (const [topic, fault] of [
        ['a'.repeat(513), 'must have 1 to 512 bytes'],
        ['a/'.repeat(32), 'must have at most 32 levels'],
      ] as const) {
        await fails(2, fault, ...set(id, '--topic', topic));
        await fails(2, fault, ...create, '--topic', topic);
      }
    });

    it("refuses a topic that overlaps with another reader's, and names that one", async () => {
      const [one, other] = [await reader(), await reader()];
      await fails(1, `of reader ${other.id}`, ...set(one.id, '--topic', `topic/${other.name}`));
    });
    describe('where moves are published', () => {
      const environment = { MQTT_MOVES_PREFIX: 'acme/track', MQTT_HOME_ASSISTANT_PREFIX: 'homeassistant' };
      const configured = commandLineOn(() => database, environment);
      const taken = 'acme/track/1/assets/A-0/location';

      it('refuses topics that overlap, by the environment of the command, also of new readers', async () => {
        const { id } = await reader();
        await configured.fails(1, 'MQTT_MOVES_PREFIX', ...set(id, '--topic', taken));
        const create = ['reader', 'create', '--org', String(site.orgId), '--name', 'new'];
        const more = ['--format', 'tagtrail', '--topic', 'homeassistant/sensor/+/+/config'];
        await configured.fails(1, 'MQTT_HOME_ASSISTANT_PREFIX', ...create, ...more);
        await configured.json(...set(id, '--topic', 'acme/tracks'));
      });

      it('refuses them by what was published, of any organization, and lets those from before be renamed', async () => {
        const { id, name } = await reader();
        await json(...set(id, '--topic', 'acme/track/2/assets/A-0/location'));
        const other = (await Site.create(database, 'Published')).orgId;
        await database.rows(
          `insert into mqtt_feeds (org_id, target, position) values ($1, $2, 0), ($3, '', 0)`,
          [other, JSON.stringify(['broker:1883', 'acme/track', null]), site.orgId],
        );
        try {
          await fails(1, 'acme/track/#, where moves are published', ...set(id, '--topic', taken));
          await json(...set(id, '--name', `${name}-old`));
        } finally {
          await database.rows('delete from mqtt_feeds');
          await database.rows('update readers set topic = $2 where id = $1', [id, `topic/${name}`]);
        }
      });
    });

    it('refuses a name that is taken', async () => {
      const [one, other] = [await reader(), await reader()];
      await fails(1, `${other.name} already exists`, ...set(one.id, '--name', other.name));
    });
    it('refuses one of two overlapping topics at the same time', async () => {
      const both = await Promise.all(
        [await reader(), await reader()].map(({ id }) => tagtrail(...set(id, '--topic', 'race/+'))),
      );
      expect(both.map(({ status }) => status).sort()).to.deep.equal([0, 1]);
    });
    it('refuses an identity that the format does not know, whichever of the two is changed', async () => {
      const rules = [{ each: '', fields: MACS }];
      await storeAnyFormat(database, 'macs', { name: 'macs', decode: 'json', rules });
      const { id } = await reader();
      await json(...set(id, '--identity', 'ibeacon'));
      await fails(2, 'does not know the identity ibeacon', ...set(id, '--format', 'macs'));
      expect((await json(...set(id, '--format', 'macs', '--identity', 'default'))).identity).to.equal(null);
      await fails(2, 'it knows mac', ...set(id, '--identity', 'ibeacon'));
    });
    it('refuses what cannot be', async () => {
      const { id } = await reader();
      await fails(2, 'whole level', ...set(id, '--topic', 'a+b'));
      await fails(2, '1 to 255', ...set(id, '--name', ''));
      await fails(2, 'zebra-iotc', ...set(id, '--format', 'zebra'));
      await fails(2, 'device, receive, default', ...set(id, '--time', 'guess'));
      await fails(2, 'Nothing to change', ...set(id));
      await fails(1, 'Reader 4000 not found', ...set('4000', '--name', 'x'));
    });
  });

  describe('antenna set', () => {
    it('adds antennas to a reader up to a bound, and says what to do then', async () => {
      const id = String(await site.reader('full', Array(1_024).fill(null)));
      const setPort = (port: string) => ['antenna', 'set', '--reader', id, '--port', port, '--disable'];
      const refusal = `Reader ${id} has 1024 antennas; the maximum is 1024; use one of these, or delete the reader and register it again`;
      await fails(1, refusal, ...setPort('1025'));
      expect(await json(...setPort('1024'))).to.include({ enabled: false });
    });
  });

  describe('reader delete', () => {
    it('takes nothing more from it, frees its name and topic, and keeps what it has read', async () => {
      const { id, name } = await reader(await site.location('DOCK'));
      await site.asset('PALLET', 'E280');
      const client = await ingest.connect(name);
      await client.publishAsync(`topic/${name}`, '{"value":"E280"}', { qos: 1 });
      const deleted = await json('reader', 'delete', '--reader', id);
      expect(deleted).to.include({ id: Number(id), name, topic: `topic/${name}` });
      expect(deleted.deleted_at).to.be.a('string');
      await untilIsLetIn(false, name, name);
      expect(await countersOf(database, Number(id))).to.deep.equal({
        messages: 1,
        messages_rejected: 0,
        reads: 1,
        recorded: 1,
        duplicates: 0,
        unknown: 0,
        unplaced: 0,
        rejected: 0,
        ignored: 0,
      });
      expect(
        await database.rows('select tag_value from scan_events where reader_id = $1', [id]),
      ).to.deep.equal([{ tag_value: 'E280' }]);
      const again = await json(
        'reader',
        'create',
        '--org',
        String(site.orgId),
        '--name',
        name,
        '--topic',
        `topic/${name}`,
        '--format',
        'tagtrail',
      );
      expect(again.id).to.not.equal(Number(id));
      await fails(1, `Reader ${id} not found`, 'reader', 'delete', '--reader', id);
      await fails(1, `Reader ${id} not found`, ...set(id, '--name', 'x'));
    });

    it('asks which', () => fails(2, '--reader', 'reader', 'delete'));
  });

  describe('reader list', () => {
    it('shows registration, antennas, and what became of every read', async () => {
      const listed = await Site.create(database, 'Listed');
      const gone = await listed.location('GONE');
      const id = await listed.reader('gate', [await listed.location('GATE'), null, gone], { topic: 'gate' });
      await listed.reader('idle', [], { topic: 'idle', format: 'csl-cs463' });
      await database.rows('update locations set deleted_at = now() where id = $1', [gone]);
      await json(
        'antenna',
        'set',
        '--reader',
        String(id),
        '--port',
        '2',
        '--min-rssi',
        '-65.5',
        '--disable',
        '--height-m',
        '2',
      );
      await listed.asset('PALLET', 'E281');
      const client = await ingest.connect('gate');
      const reads = [
        { value: 'E281', antenna: 1, rssi: 127 },
        { value: 'FEED', antenna: 1, rssi: '0' },
        { value: 'E281', antenna: 3, rssi: -60 },
        { value: 7 },
      ];
      await client.publishAsync('gate', JSON.stringify(reads), { qos: 1 });
      await client.publishAsync('gate', 'no JSON', { qos: 1 });

      const [gate, idle] = await json('reader', 'list', '--org', String(listed.orgId));
      expect(gate).to.deep.equal({
        id,
        name: 'gate',
        topic: 'gate',
        format: 'tagtrail',
        time: null,
        identity: null,
        report_unknown: null,
        expect_seconds: null,
        state: 'new',
        unheard_since: null,
        expected_seconds: null,
        mqtt_username: 'gate',
        created_at: gate.created_at,
        antennas: [
          {
            port: 1,
            name: null,
            location_external_key: 'GATE',
            min_rssi: null,
            enabled: true,
            offset_db: 0,
            height_m: 1,
          },
          {
            port: 2,
            name: null,
            location_external_key: null,
            min_rssi: -65.5,
            enabled: false,
            offset_db: 0,
            height_m: 2,
          },
          {
            ...{ port: 3, name: null, location_external_key: null, min_rssi: null, enabled: true },
            ...{ offset_db: 0, height_m: 1 },
          },
        ],
        unplaced_antennas: [],
        last_message_at: gate.last_message_at,
        last_used_at: gate.last_used_at,
        messages: 2,
        messages_rejected: 1,
        reads: 4,
        recorded: 1,
        duplicates: 0,
        unknown: 1,
        unplaced: 1,
        rejected: 1,
        ignored: 0,
        throttled_ms: 0,
        rssi_unusable: 2,
        rssi_example: '0',
        time_unreadable: 0,
        time_example: null,
        clock_unset: 0,
        clock_is_unset: false,
        near_misses: 0,
        readings_unusable: 0,
        readings_example: null,
        pushes_refused: 0,
        clock: null,
      });
      expect(gate.last_message_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(idle).to.include({
        name: 'idle',
        last_message_at: null,
        last_used_at: null,
        messages: 0,
        reads: 0,
      });
      const { stdout } = await tagtrail('reader', 'list', '--org', String(listed.orgId));
      expect(stdout).to.include('1=GATE 2=nowhere(from -65.5 dBm,2 m high,off) 3=nowhere');
      expect(stdout).to.match(/\breads 4, recorded 1,/);
    });

    it('fits a terminal of 100 columns', async () => {
      const wide = await Site.create(database, 'Wide');
      const gates = await Promise.all(
        Array.from({ length: 8 }, (_, index) => wide.location(`LOADING-DOCK-${index}`)),
      );
      await wide.reader('north-hall-gate', gates, { topic: 'site/north/hall-1/gate-12/reads' });
      await wide.reader('n', [], { topic: 't' });
      const { stdout } = await tagtrail('reader', 'list', '--org', String(wide.orgId));
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).to.be.within(60, 100);
      for (const gate of gates.keys()) {
        expect(stdout).to.include(`${gate + 1}=LOADING-DOCK-${gate}`);
      }
      expect(stdout.match(/pushes_refused 0/g)).to.have.length(2);
    });

    it('says that there is no such organization', () =>
      fails(1, 'Organization 999 not found', 'reader', 'list', '--org', '999'));
  });
});
