import { expect } from 'chai';
import { pino } from 'pino';
import { topicMatches } from '../../../domain/administration/readers/topic.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { WorkThreads } from '../../../platform/runtime/work-threads.ts';
import { openRegistry, type Registry } from '../../../services/mqtt-ingest/registry/registry.ts';
import { useDatabase } from '../../support/database.ts';
import { meanTimeOf } from '../../support/held-loop.ts';
import { Random } from '../../support/random.ts';
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

  async function filterReaders(topics: readonly string[]): Promise<void> {
    await database.rows(
      `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
       select $1, topic, topic, 'tagtrail', topic, sha256('') from unnest($2::text[]) topic`,
      [site.orgId, topics],
    );
    await follows(() => topics.every((topic) => registry.byUsername(topic) !== undefined));
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

  it('finds by filters whatever they match, and nothing else', async () => {
    const random = new Random(7, 0);
    const levels = (names: readonly string[], most: number) =>
      Array.from({ length: 1 + random.below(most) }, () => random.pick(names)).join('/');
    const filters = new Set(['x/#', 'x/+/#']);
    while (filters.size < 60) {
      filters.add(`x/${levels(['a', 'b', '+'], 3)}${random.pick(['', '', '/#'])}`);
    }
    await filterReaders([...filters]);
    for (const gone of [[], ['x/#', 'x/+/#'], [...filters].slice(10, 40)]) {
      await database.rows('update readers set deleted_at = now() where name = any ($1)', [gone]);
      await follows(() => gone.every((name) => registry.byUsername(name) === undefined));
      const left = [...filters].filter((filter) => registry.byUsername(filter) !== undefined);
      for (let time = 0; time < 500; time++) {
        const topic = `${random.pick(['x', 'y', '$x'])}/${levels(['a', 'b', 'c', ''], 5)}`;
        const found = registry.byTopic(topic)?.topic;
        const matching = left.filter((filter) => filter === topic || topicMatches(filter, topic));
        expect(matching.length === 0 ? found === undefined : matching.includes(found ?? ''), topic).to.equal(
          true,
        );
      }
    }
  });

  it('finds a topic among thousands of filters that begin alike about as fast as by itself', async () => {
    await filterReaders(Array.from({ length: 5_000 }, (_, at) => `org-2/${'+/'.repeat(20)}${at}`));
    let last = 5_000;
    const alike = () => registry.byTopic(`org-2/${'a/'.repeat(20)}${--last}`);
    expect(alike()?.topic).to.match(/4999$/);
    const byItself = meanTimeOf(() => registry.byTopic(`ble/${last--}/reads`), 100);
    expect(meanTimeOf(alike, 100)).to.be.below(100 * Math.max(0.01, byItself));
  });

  it('finds a topic among thousands of patterns about as fast as by trying each', async () => {
    const patterns = Array.from({ length: 4_096 }, (_, number) => {
      const levels = Array.from({ length: 12 }, (_, bit) => ((number >> bit) % 2 === 0 ? 'a' : '+'));
      return `org-3/${levels.join('/')}${'/a'.repeat(16)}/${number}`;
    });
    await filterReaders(patterns);
    const topic = (last: number) => `org-3${'/a'.repeat(28)}/${last}`;
    expect(registry.byTopic(topic(4_095))?.topic).to.equal(patterns.at(-1));
    let unknown = patterns.length;
    const found = meanTimeOf(() => registry.byTopic(topic(unknown++)), 20);
    const tried = meanTimeOf(() => patterns.find((each) => topicMatches(each, topic(unknown))), 20);
    expect(found).to.be.below(3 * tried);
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

  it('reads again the reader of which something changed, and no other', async () => {
    await site.reader('neighbour', [null], { topic: 'neighbour' });
    await site.reader('changed', [await site.location('THERE')], { topic: 'changed' });
    await follows(() => registry.byUsername('changed') !== undefined);
    const [neighbour, changed] = [registry.byUsername('neighbour'), registry.byUsername('changed')];
    let times = 0;
    const stop = registry.onChange(() => {
      times += 1;
    });
    await database.rows(`update antennas set min_rssi = -40 from readers reader
      where reader.id = antennas.reader_id and reader.name = 'changed'`);
    await follows(() => registry.byUsername('changed')?.antennas.get(1)?.minRssi === -40);
    expect(registry.byUsername('changed')).not.to.equal(changed);
    expect(registry.byUsername('neighbour')).to.equal(neighbour);
    // Connections and subscriptions have to do with topics and passwords only.
    expect(times).to.equal(0);
    await database.rows(`update readers set topic = 'moved/+' where name = 'changed'`);
    await follows(() => registry.byTopic('moved/7')?.name === 'changed');
    expect([registry.byTopic('changed'), times]).to.deep.equal([undefined, 1]);
    await database.rows(`update readers set deleted_at = now() where name = 'changed'`);
    await follows(() => registry.byUsername('changed') === undefined);
    expect([registry.byTopic('moved/7'), times]).to.deep.equal([undefined, 2]);
    stop();
    expect(registry.byUsername('neighbour')).to.equal(neighbour);
    expect([...registry.topics()])
      .to.include('neighbour')
      .and.not.to.include('moved/+');
  });

  it('knows each reader after any changes as if it had loaded all', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      await site.reader(`swap-${name}`, [null], { topic: `swap/${name}` });
    }
    // Two have each other's topic in the end.
    for (const [name, topic] of [
      ['a', 'swap/x'],
      ['b', 'swap/a'],
      ['a', 'swap/b'],
      ['c', 'swap/+/#'],
      ['c', 'swap/c/#'],
    ]) {
      await database.rows('update readers set topic = $2 where name = $1', [`swap-${name}`, topic]);
    }
    await follows(() => registry.byUsername('swap-c')?.topic === 'swap/c/#');
    const owners = () =>
      ['swap/a', 'swap/b', 'swap/c', 'swap/x'].map((topic) => registry.byTopic(topic)?.name);
    const followed = owners();
    expect(followed).to.deep.equal(['swap-b', 'swap-a', 'swap-c', undefined]);
    await registry.refresh();
    expect(owners()).to.deep.equal(followed);
  });

  it('never finds a topic without a reader that goes from one to the next, however many times', async () => {
    await site.reader('holder-0', [null], { topic: 'held' });
    await follows(() => registry.byTopic('held') !== undefined);
    let isMoving = true;
    let gaps = 0;
    const watching = (async () => {
      while (isMoving) {
        if (registry.byTopic('held') === undefined) {
          gaps += 1;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let time = 1; time <= 200; time++) {
      await database.rows(
        `with gone as (update readers set deleted_at = now() where topic = 'held' and deleted_at is null returning *)
         insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
         select org_id, $1, topic, format, $1, mqtt_password_sha256 from gone`,
        [`holder-${time}`],
      );
    }
    await follows(() => registry.byTopic('held')?.name === 'holder-200');
    isMoving = false;
    await watching;
    expect(gaps).to.equal(0);
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
