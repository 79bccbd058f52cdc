import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { pino } from 'pino';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { commandLineOn } from '../../support/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Link, targetOf } from '../../support/link.ts';
import { Site } from '../../support/site.ts';

/** What becomes of the news that a reader was changed. */
const TROUBLES: Record<string, (link: Link) => void> = {
  'cannot be heard, as the connection is cut': (link) => link.cut(),
  'is not heard, as the connection has gone silent': (link) => link.abandon(),
  'comes late': (link) => link.slow(2_000),
};

describe('a message sent after the end of a command that changes its reader', () => {
  const database = useDatabase();
  const { json } = commandLineOn(() => database);
  let folder: string;
  let site: Site;
  let readerId: number;
  let intake: TestIntake;
  let link: Link;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-ended-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    await database.empty('organizations, formats, scan_events cascade');
    site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    const old = await site.location('OLD');
    await site.location('NEW');
    readerId = await site.reader('portal', [old]);
    link = await Link.open(targetOf(database.url));
    intake = await openIntake(database, database.pool, { listenAt: link.by(database.url) });
  });
  afterEach(async () => {
    await intake.registry.close();
    await link.close();
  });

  const read = (more: object = {}) => JSON.stringify({ value: 'E280', rssi: -70, ...more });
  const locations = async () =>
    (
      await database.rows<{ key: string | null }>(
        `select location.external_key as key from scan_events event
         left join locations location on location.id = event.location_id order by event.observed_at`,
      )
    ).map(({ key }) => key);

  for (const [trouble, begin] of Object.entries(TROUBLES)) {
    it(`is recorded at the antenna's new place, although the news ${trouble}`, async () => {
      await intake.receive('portal', read());
      begin(link);
      await json('antenna', 'set', '--reader', String(readerId), '--port', '1', '--location', 'NEW');
      await intake.receive('portal', read());
      expect(await locations()).to.deep.equal(['OLD', 'NEW']);
    });
  }

  it('is judged by the rest of what was changed, too', async () => {
    await intake.receive('portal', read());
    link.cut();
    const reader = String(readerId);
    await json('antenna', 'set', '--reader', reader, '--port', '1', '--min-rssi', '-60');
    await intake.receive('portal', read());
    expect(await locations()).to.deep.equal(['OLD']);
    const definition = loadBuiltinFormats().get('tagtrail')?.definition as object;
    const file = join(folder, 'own.json');
    writeFileSync(file, JSON.stringify({ ...definition, name: 'own' }));
    await json('format', 'add', '--file', file);
    await json('reader', 'set', '--reader', reader, '--format', 'own', '--topic', 'moved');
    expect((await intake.receive('portal', read())).rejections).to.have.length(1);
    expect((await intake.receive('moved', read())).rejections).to.deep.equal([]);
    await json('reader', 'delete', '--reader', reader);
    expect((await intake.receive('moved', read())).rejections).to.have.length(1);
  });
});

describe('a reader that is connected', () => {
  const database = useDatabase();
  const { json } = commandLineOn(() => database);
  const log = pino({ level: 'silent' });
  const read = '{"value":"E280"}';
  let port: number;
  let readerId: string;
  let other: MqttClient;

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    readerId = String(await site.reader('portal', [dock]));
    await site.reader('other', [dock]);
    await site.asset('PALLET', 'E280');
    const lifecycle = new Lifecycle(log);
    ({ port } = await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle));
    database.beforeDrop(() => lifecycle.stop());
    other = connectReader(port, 'other');
    await connected(other);
  });
  after(() => other.endAsync(true));

  /** Resolves when the broker has ended the connection, although nothing is sent on it. */
  const endOf = (client: MqttClient) => new Promise<void>((resolve) => client.once('close', () => resolve()));
  const refusalOf = async (password: string) => {
    const again = connectReader(port, 'portal', { clientId: 'again', password });
    const code = await connected(again).catch((error: { code: number }) => error.code);
    await again.endAsync(true);
    return code;
  };

  it('is disconnected at once by another password and by its deletion, and no other reader is', async () => {
    const before = connectReader(port, 'portal');
    await connected(before);
    await before.publishAsync('portal', read, { qos: 1 });
    const ended = endOf(before);
    const { mqtt_password: password } = await json('reader', 'set', '--reader', readerId, '--new-password');
    await ended;
    expect(await refusalOf('portal')).to.equal(4);
    const since = connectReader(port, 'portal', { clientId: 'since', password });
    await connected(since);
    await since.publishAsync('portal', '{"value":"E280","rssi":-1}', { qos: 1 });
    const deleted = endOf(since);
    await json('reader', 'set', '--reader', readerId, '--name', 'renamed');
    await since.publishAsync('portal', '{"value":"E280","rssi":-2}', { qos: 1 });
    await json('reader', 'delete', '--reader', readerId);
    await deleted;
    expect(await refusalOf(password)).to.equal(4);
    expect(other.connected).to.equal(true);
    await other.publishAsync('other', read, { qos: 1 });
    expect(await database.rows('select from scan_events')).to.have.length(4);
  });
});
