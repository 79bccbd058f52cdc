import { expect } from 'chai';
import { pino } from 'pino';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { WorkThreads } from '../../../platform/runtime/work-threads.ts';
import { openRegistry, type Registry } from '../../../services/mqtt-ingest/registry/registry.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';
import { storeAnyFormat } from '../../support/stored-format.ts';

describe('the registry of readers', () => {
  const database = useDatabase();
  const faults: unknown[] = [];
  const threads = new WorkThreads(pino({ level: 'silent' }));
  let registry: Registry;
  let site: Site;

  before(async () => {
    site = await Site.create(database);
    await site.reader('portal', [await site.location('DOCK')], { topic: 'site/portal' });
    registry = await openRegistry({
      url: database.url,
      pool: database.pool,
      builtinFormats: loadBuiltinFormats(),
      threads,
      onFault: (error) => faults.push(error),
    });
    database.beforeDrop(async () => {
      await registry.close();
      await threads.close();
    });
  });

  /** Resolves when the registry says so; the suite's timeout is its bound. */
  async function follows(says: () => boolean): Promise<void> {
    while (!says()) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('finds a reader by its login and by its topic', () => {
    expect(registry.byUsername('portal')?.topic).to.equal('site/portal');
    expect(registry.byTopic('site/portal')?.name).to.equal('portal');
    expect(registry.byTopic('site/other')).to.equal(undefined);
  });

  it('finds a reader by a topic that its filter takes', async () => {
    await site.reader('gateway', [null], { topic: 'ble/+/reads' });
    await follows(() => registry.byTopic('ble/7/reads')?.name === 'gateway');
    expect(registry.byTopic('ble/7')).to.equal(undefined);
  });

  it('follows an antenna that is moved, without being asked', async () => {
    const yard = await site.location('YARD');
    await database.rows(
      `update antennas set location_id = $1, min_rssi = -60.5
       where reader_id = (select id from readers where name = 'portal')`,
      [yard],
    );
    await follows(() => registry.byUsername('portal')?.antennas.get(1)?.locationId === yard);
    expect(registry.byUsername('portal')?.antennas.get(1)).to.deep.equal({
      locationId: yard,
      minRssi: -60.5,
      isEnabled: true,
    });
  });

  it('uses a format as soon as it is stored, and keeps a built-in one that a stored one would replace', async () => {
    await site.reader('own', [null], { topic: 'own', format: 'my-format' });
    await follows(() => registry.byUsername('own') !== undefined);
    expect(registry.byUsername('own')?.format).to.equal(null);
    const definition = { ...loadBuiltinFormats().get('tagtrail')?.definition };
    for (const name of ['my-format', 'csl-cs463']) {
      await storeAnyFormat(database, name, { ...definition, name });
    }
    await follows(() => registry.byUsername('own')?.format?.name === 'my-format');
    await site.reader('csl', [null], { topic: 'csl', format: 'csl-cs463' });
    await follows(() => registry.byUsername('csl') !== undefined);
    expect(registry.byUsername('csl')?.format?.description).to.include('CSL');
  });

  it('reports a stored format that it cannot use, and goes on with the others', async () => {
    await site.reader('unread', [null], { topic: 'unread', format: 'broken' });
    await storeAnyFormat(database, 'broken', {});
    await follows(() => faults.some((fault) => String(fault).includes('broken')));
    expect(registry.byUsername('own')?.format?.name).to.equal('my-format');
  });

  it('reads again the readers of the organization in which something changed, and of no other', async () => {
    const other = await Site.create(database, 'Other');
    await other.reader('theirs', [await other.location('THEIRS')], { topic: 'theirs' });
    await follows(() => registry.byUsername('theirs') !== undefined);
    const [ours, theirs] = [registry.byUsername('own'), registry.byUsername('theirs')];
    await database.rows(`update antennas set min_rssi = -40 from readers reader
      where reader.id = antennas.reader_id and reader.name = 'theirs'`);
    await follows(() => registry.byUsername('theirs')?.antennas.get(1)?.minRssi === -40);
    expect(registry.byUsername('theirs')).not.to.equal(theirs);
    expect(registry.byUsername('own')).to.equal(ours);
    await database.rows(`update readers set deleted_at = now() where name = 'theirs'`);
    await follows(() => registry.byUsername('theirs') === undefined);
    expect(registry.byUsername('own')).to.equal(ours);
  });

  it('compiles a format again when it was changed, and not when its readers were', async () => {
    const format = registry.byUsername('own')?.format;
    await database.rows(`update readers set name = 'renamed' where name = 'own'`);
    await follows(() => registry.byUsername('own')?.name === 'renamed');
    expect(registry.byUsername('own')?.format).to.equal(format);
    await database.rows(
      `update formats set source = json_build_object('name', name) where name = 'my-format'`,
    );
    await follows(() => registry.byUsername('own')?.format === null);
    expect(faults.map(String).join()).to.include('my-format cannot be used');
  });

  it('forgets readers that are deleted, and those of deleted organizations', async () => {
    await database.rows(`update readers set deleted_at = now() where name = 'gateway'`);
    await follows(() => registry.byUsername('gateway') === undefined);
    expect(registry.byUsername('portal')).to.not.equal(undefined);
    await database.rows('update organizations set deleted_at = now()');
    await follows(() => registry.byUsername('portal') === undefined);
  });
});
