import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { pino } from 'pino';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { WorkThreads } from '../../platform/runtime/work-threads.ts';
import { openRegistry, type Registry } from '../../services/mqtt-ingest/registry/registry.ts';
import { BEATS_PER_SECOND, beatsUntil } from '../support/beats.ts';
import { commandLineOn, runCommand } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { loadFixtures } from '../support/format-fixtures.ts';
import { Site } from '../support/site.ts';
import { storeAnyFormat } from '../support/stored-format.ts';

describe('the command line, of formats', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  /** Where no database is: what succeeds there needs none. */
  const offline = commandLineOn(() => ({ url: 'postgres://nobody@127.0.0.1:1/none' }));
  let folder: string;
  let site: Site;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-format-'));
    site = await Site.create(database);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => database.empty('formats, readers cascade'));

  function file(name: string, content: unknown): string {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }
  const own = (value: string, more: object = {}) => ({
    name: 'dock-gateway',
    description: 'Ours',
    decode: 'json',
    rules: [
      { each: ['/*', ''], fields: { tag_type: [{ const: 'rfid' }], value: [{ item: value }] }, ...more },
    ],
  });

  describe('format list', () => {
    it('lists the built-in formats and the own ones, with the readers that use them', async () => {
      await json('format', 'add', '--file', file('own.json', own('/v')));
      await site.reader('a', [null], { topic: 'a', format: 'dock-gateway' });
      await site.reader('b', [null], { topic: 'b', format: 'ingics' });
      await site.reader('c', [null], { topic: 'c', format: 'ingics' });
      const formats: { name: string; builtin: boolean; readers: number }[] = await json('format', 'list');
      expect(formats.filter(({ builtin }) => builtin).map(({ name }) => name)).to.deep.equal([
        ...loadBuiltinFormats().keys(),
      ]);
      expect(formats.find(({ name }) => name === 'ingics')?.readers).to.equal(2);
      expect(formats.at(-1)).to.deep.equal({
        name: 'dock-gateway',
        builtin: false,
        description: 'Ours',
        identities: ['mac', 'ibeacon', 'eddystone', 'raw'],
        readers: 1,
        fault: null,
      });
    });

    it('says why one that another version stored cannot be used', async () => {
      await storeAnyFormat(database, 'old', { name: 'old' });
      const { stdout } = await tagtrail('format', 'list');
      expect(stdout).to.match(/^old +your own +0\n +cannot be used: .*lacks "decode"/m);
    });

    it('needs no database for the built-in ones', async () => {
      const formats = await offline.json('format', 'list', '--builtin');
      expect(formats.map(({ name }: { name: string }) => name)).to.deep.equal([
        ...loadBuiltinFormats().keys(),
      ]);
      expect(formats[0]).to.deep.include({ builtin: true, readers: null });
      await offline.fails(1, 'DATABASE_URL', 'format', 'list');
    });
  });

  describe('format show', () => {
    it('prints a built-in definition, without a database, as it can be added', async () => {
      const shown = await offline.json('format', 'show', 'minew-json');
      expect(shown).to.deep.equal(loadBuiltinFormats().get('minew-json')?.definition);
      const { stdout } = await offline.tagtrail('format', 'show', 'minew-json');
      const copy = file('copy.json', { ...JSON.parse(stdout), name: 'minew-copy' });
      expect(await json('format', 'add', '--file', copy)).to.include({ result: 'added' });
    });

    it('prints an own definition as it was written, in the order in which it was', async () => {
      const { name, ...others } = own('/v', { only: [{ exists: true, item: '/v' }] });
      for (const definition of [
        { name, ...others },
        { ...others, name },
      ]) {
        await json('format', 'add', '--file', file('own.json', definition));
        const { stdout } = await tagtrail('format', 'show', 'dock-gateway', '--json');
        expect(stdout).to.equal(`${JSON.stringify(definition)}\n`);
      }
    });

    it('leaves nothing out of what another version stored', async () => {
      await storeAnyFormat(database, 'old', { old: [1], name: 'old' });
      const { stdout } = await tagtrail('format', 'show', 'old', '--json');
      expect(stdout).to.equal('{"old":[1],"name":"old"}\n');
    });

    it('names the formats there are', () =>
      fails(
        1,
        `There is no format minew; there are ${[...loadBuiltinFormats().keys()].slice(0, 2).join(', ')}`,
        ...['format', 'show', 'minew'],
      ));
  });

  describe('format add', () => {
    it('says whether a format was added, replaced or the same, and how many readers use it', async () => {
      const add = (value: string) => json('format', 'add', '--file', file('own.json', own(value)));
      expect(await add('/v')).to.deep.equal({ name: 'dock-gateway', result: 'added', readers: 0 });
      await site.reader('a', [null], { format: 'dock-gateway' });
      expect(await add('/v')).to.deep.equal({ name: 'dock-gateway', result: 'unchanged', readers: 1 });
      expect(await add('/w')).to.deep.equal({ name: 'dock-gateway', result: 'replaced', readers: 1 });
      expect(await database.rows('select name, definition from formats')).to.deep.equal([
        { name: 'dock-gateway', definition: own('/w') },
      ]);
    });

    it('is followed by a running ingestion within a second', async () => {
      await json('format', 'add', '--file', file('own.json', own('/v')));
      await site.reader('a', [null], { format: 'dock-gateway' });
      const threads = new WorkThreads(pino({ level: 'silent' }));
      const registry: Registry = await openRegistry({
        url: database.url,
        pool: database.pool,
        builtinFormats: loadBuiltinFormats(),
        threads,
        onFault: (error) => expect.fail(String(error)),
      });
      try {
        const follows = () => JSON.stringify(registry.byTopic('a')?.format?.definition).includes('"/w"');
        expect(follows()).to.equal(false);
        await json('format', 'add', '--file', file('own.json', own('/w')));
        expect(await beatsUntil(follows, () => database.rows('select 1'))).to.be.below(BEATS_PER_SECOND);
      } finally {
        await registry.close();
        await threads.close();
      }
    });

    it('reads standard input', async () => {
      const { stdout } = await runCommand(
        ['format', 'add', '--file', '-', '--json'],
        { DATABASE_URL: database.url },
        `\ufeff${JSON.stringify(own('/v'))}`,
      );
      expect(JSON.parse(stdout)).to.include({ result: 'added' });
    });

    it('refuses to replace a built-in format', () =>
      fails(
        1,
        'another "name"',
        'format',
        'add',
        '--file',
        file('own.json', { ...own('/v'), name: 'ingics' }),
      ));

    it('refuses what would leave a reader without the identity it uses, and names the reader', async () => {
      await json('format', 'add', '--file', file('own.json', own('/v')));
      const id = await site.reader('gate', [null], { format: 'dock-gateway' });
      await database.rows(`update readers set identity_policy = 'ibeacon' where id = $1`, [id]);
      const definition = own('/v');
      const [rule] = definition.rules;
      const value = [{ item: '/v', identity: 'mac' }];
      const rules = [{ ...rule, fields: { ...rule?.fields, value } }];
      const path = file('own.json', { ...definition, rules });
      await fails(1, `Reader ${id} (gate)`, 'format', 'add', '--file', path);
      expect(await database.rows('select definition from formats')).to.deep.equal([{ definition }]);
    });

    it('names every place in the file that is wrong, and what may stand there', async () => {
      const path = file('own.json', own('/v', { onyl: [], warn: [{ item: '' }] }));
      await fails(
        1,
        `${path} is not a usable format:\n  /rules/0 has the unknown key "onyl"; there may be each,`,
        'format',
        'add',
        '--file',
        path,
      );
      const pathless = file('own.json', own('v'));
      await fails(
        1,
        '\n  /rules/0/fields/value/0/item is not a JSON Pointer: "v"\n',
        'format',
        'add',
        '--file',
        pathless,
      );
    });

    it('names the place where a file is not JSON', () =>
      fails(
        1,
        '(line 2 column 1)',
        'format',
        'add',
        '--file',
        file('own.json', '{"name":"x"\n"decode":"json"}'),
      ));

    it('refuses text that the database does not take', () =>
      fails(1, 'U+0000', 'format', 'add', '--file', file('own.json', own('/v\u0000'))));

    it('says that there is no such file', () =>
      fails(2, 'there is no such file', 'format', 'add', '--file', join(folder, 'none.json')));
  });

  describe('format try', () => {
    const [fixture] =
      loadFixtures()
        .get('minew-json')
        ?.filter(({ name }) => name === 'ibeacon.json') ?? [];
    const payload = () => file('payload', fixture?.payload.toString() ?? '');
    const attempt = (...more: string[]) => ['format', 'try', '--topic', 'gw', '--file', payload(), ...more];

    it('shows what a built-in format makes of a payload, without a database', async () => {
      const run = await offline.json(...attempt('--format', 'minew-json', '--identity', 'ibeacon'));
      expect(run).to.deep.equal({ format: 'minew-json', ...fixture?.expected });
    });

    it('obeys the settings of a reader', async () => {
      const settings = ['--time', 'receive', '--report-unknown', 'on'];
      const run = await offline.json(...attempt('--format', 'minew-json', ...settings));
      expect(run.scans[0]).to.include({ value: 'C30000250001', observed_at: null, report_unknown: true });
    });

    it('tells a person the same', async () => {
      const bad = file('bad.json', [
        { mac: 'c3:00:00:25:00:01', rssi: -65 },
        { type: 'Gateway' },
        { mac: 'x' },
      ]);
      const { stdout } = await offline.tagtrail(
        'format',
        'try',
        '--format',
        'minew-json',
        '--topic',
        'gw',
        '--file',
        bad,
      );
      expect(stdout).to.equal(`scan      ble C30000250001, antenna 1, -65 dBm, at the time of receipt
ignored   item /type is one of: Gateway
rejected  item 2: value "x" (item /mac) is not of the kind that the format expects
          {"mac":"x"}
1 scan, 1 ignored, 1 rejected. Nothing was stored.
`);
    });

    it('takes a file with a format that is not added yet, and one that is', async () => {
      const definition = file('own.json', own('/mac'));
      const expected = { format: 'dock-gateway', outcome: 'items' };
      expect(await offline.json(...attempt('--format-file', definition))).to.include(expected);
      await json('format', 'add', '--file', definition);
      expect(await json(...attempt('--format', 'dock-gateway'))).to.include(expected);
    });

    it('reads the payload from standard input', async () => {
      const args = ['format', 'try', '--format', 'minew-json', '--topic', 'gw', '--file', '-', '--json'];
      const program = spawn(process.execPath, ['services/cli/tagtrail.ts', ...args]);
      program.stdin.end('no JSON');
      expect(JSON.parse(await text(program.stdout))).to.deep.include({ outcome: 'rejected', scans: [] });
    });

    it('stores nothing', async () => {
      await json(...attempt('--format', 'minew-json'));
      const tables = [
        'scan_events',
        'rejected_messages',
        'unknown_tags',
        'received_messages',
        'reader_counters',
      ];
      for (const table of tables) {
        expect(await database.rows(`select from ${table}`)).to.deep.equal([]);
      }
    });

    it('asks for one format, and for one only', async () => {
      await fails(2, '--format-file', ...attempt());
      await fails(2, 'cannot be used with', ...attempt('--format', 'ingics', '--format-file', 'x.json'));
    });

    it('refuses an identity that the format does not know, and one that is none', async () => {
      const definition = file('own.json', {
        ...own('/v'),
        rules: [
          { each: '', fields: { tag_type: [{ const: 'ble' }], value: [{ item: '/m', identity: 'mac' }] } },
        ],
      });
      await fails(2, 'it knows mac', ...attempt('--format-file', definition, '--identity', 'ibeacon'));
      await fails(2, 'mac, ibeacon, eddystone, raw', ...attempt('--format', 'ingics', '--identity', 'name'));
    });

    it('says that there is no such payload', () =>
      fails(2, 'The payload', 'format', 'try', '--format', 'ingics', '--topic', 'x', '--file', folder));
  });
});
