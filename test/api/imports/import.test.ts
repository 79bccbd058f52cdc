import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Call, expectIssues, expectProblem, useApi } from '../../support/api.ts';
import { itByNight } from '../../support/random-sets.ts';

const PATH = '/api/v1/assets/bulk';
const FIXTURES = new URL('../../fixtures/spreadsheets/', import.meta.url);
const SPREADSHEETS: Record<string, { assets?: unknown[][]; refused?: [field: string, message: string][] }> =
  JSON.parse(readFileSync(new URL('expected.json', FIXTURES), 'utf8'));

describe('importing assets over HTTP', () => {
  const api = useApi();
  /** An organization of the test's own, so that its assets are known. */
  async function importer() {
    const { key, orgId } = await api.organization();
    const send = (csv: string | Uint8Array, call: Partial<Call> = {}) =>
      api.call({
        method: 'POST',
        path: PATH,
        key,
        body: Buffer.concat([
          Buffer.from('--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n'),
          Buffer.from(csv),
          Buffer.from('\r\n--b--\r\n'),
        ]),
        ...call,
        headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      });
    const imported = async (csv: string, call: Partial<Call> = {}) => {
      const answer = await send(csv, call);
      expect(answer.status, answer.text).to.equal(200);
      return (answer.body as { data: Record<string, unknown> }).data;
    };
    const assets = () =>
      api.database.rows(
        `select external_key, name, description, is_active, valid_from, valid_to, metadata::text,
           (select string_agg(tag_type || ':' || value, ' ' order by tag.id) from tags tag
             where tag.asset_id = assets.id and detached_at is null) as tags
         from assets where org_id = $1 and deleted_at is null order by external_key`,
        [orgId],
      );
    const create = async (json: object) =>
      (await api.call({ method: 'POST', path: '/api/v1/assets', key, json })).body as {
        data: { id: number };
      };
    return { key, orgId, send, imported, assets, create };
  }

  it('creates what is new, with every column', async () => {
    const { imported, assets } = await importer();
    const csv =
      '\uFEFFTags,External_Key, NAME ,description,is_active,valid_from,valid_to,metadata\r\n' +
      'rfid:E280;barcode:a\\;b\\:c\\\\;ble:AA:BB:CC:DD:EE:FF,P-1,"Pallet ""one"", blue","two\r\nlines",FALSE,2026-05-01T10:00:00+02:00,2027-01-01T00:00:00Z,"{""max"":1.50}"\r\n' +
      '\r\n' +
      ',P-2,Pallet two,,,,,\r\n';
    expect(await imported(csv)).to.deep.equal({
      dry_run: false,
      rows: 2,
      created: 2,
      updated: 0,
      unchanged: 0,
      changes: [
        { line: 2, action: 'create', external_key: 'P-1', name: 'Pallet "one", blue', fields: [] },
        { line: 5, action: 'create', external_key: 'P-2', name: 'Pallet two', fields: [] },
      ],
      changes_left_out: 0,
    });
    const [first, second] = await assets();
    expect(first).to.deep.equal({
      external_key: 'P-1',
      name: 'Pallet "one", blue',
      description: 'two\r\nlines',
      is_active: false,
      valid_from: '2026-05-01 08:00:00+00',
      valid_to: '2027-01-01 00:00:00+00',
      metadata: '{"max":1.50}',
      tags: 'rfid:E280 barcode:a;b:c\\ ble:AA:BB:CC:DD:EE:FF',
    });
    expect(second).to.include({
      description: null,
      is_active: true,
      valid_to: null,
      metadata: '{}',
      tags: null,
    });
  });

  it('makes nothing new of a key that a spreadsheet has turned, unless it is meant', async () => {
    const { send, imported, create, assets } = await importer();
    for (const external_key of ['007', '1-2', '8']) {
      await create({ external_key, name: 'Kept' });
    }
    const answer = await send('external_key,name\n7,Seven\n2-Jan,Second\n8,Eight\n9,Nine\n');
    expectIssues(answer, [
      ['external_key', 'invalid_value'],
      ['external_key', 'invalid_value'],
    ]);
    expect(answer.text)
      .to.include(
        'line 2: external_key 7 would be new beside 007, which a spreadsheet may have turned into it',
      )
      .and.to.include("write 007, or '7 if a new one is meant")
      .and.to.include('line 3: external_key 2-Jan would be new beside 1-2');
    expect(await imported("external_key,name\n'7,Seven\n8,Eight\n9,Nine\n")).to.include({
      created: 2,
      updated: 1,
    });
    expect((await assets()).map((asset) => asset['external_key'])).to.deep.equal([
      '007',
      '1-2',
      '7',
      '8',
      '9',
    ]);
  });

  it('takes a key as it is where the file has the one that a spreadsheet would turn into it', async () => {
    const { imported } = await importer();
    const between = Array.from({ length: 300 }, (_, index) => `P-${index},Between\n`).join('');
    const rows = `007,Bond\n${between}7,Seven\n`;
    expect(await imported(`external_key,name\n${rows}`)).to.include({ created: 302 });
  });

  it('makes keys for rows without one, past those that are taken, and creates them anew each time', async () => {
    const { imported, assets } = await importer();
    await imported('name,external_key\nTaken,ASSET-0002\nTaken,ASSET-0003');
    const csv = `name\n${'Box\n'.repeat(4)}`;
    expect(await imported(csv)).to.include({ created: 4 });
    expect(await imported(csv)).to.include({ created: 4 });
    const keys = (await assets()).map((asset) => asset['external_key']);
    const numbers = [2, 3, 1, 4, 5, 6, 7, 8, 9, 10].sort((a, b) => a - b);
    expect(keys).to.deep.equal(numbers.map((number) => `ASSET-${String(number).padStart(4, '0')}`));
  });

  it('updates by key, field by field, and a second time changes nothing', async () => {
    const { imported, assets, create, orgId } = await importer();
    await create({
      external_key: 'P-1',
      name: 'Old',
      description: 'stays',
      metadata: { a: 1, b: 2 },
      tags: [{ tag_type: 'rfid', value: 'E1' }],
    });
    const csv =
      'external_key,name,description,is_active,metadata,tags\n' +
      'P-1,New,,false,"{""b"":2,""a"":1}",rfid:E1;rfid:E2\n';
    const updated = await imported(csv);
    expect(updated).to.deep.include({ created: 0, updated: 1, unchanged: 0 });
    expect(updated['changes']).to.deep.equal([
      {
        line: 2,
        action: 'update',
        external_key: 'P-1',
        name: 'New',
        fields: [
          { field: 'name', from: 'Old', to: 'New' },
          { field: 'is_active', from: true, to: false },
          {
            field: 'tags',
            from: [{ tag_type: 'rfid', value: 'E1' }],
            to: [
              { tag_type: 'rfid', value: 'E1' },
              { tag_type: 'rfid', value: 'E2' },
            ],
          },
        ],
      },
    ]);
    expect((await assets())[0]).to.include({ name: 'New', description: 'stays', tags: 'rfid:E1 rfid:E2' });
    const stamp = () => api.database.rows('select updated_at from assets where org_id = $1', [orgId]);
    const before = await stamp();
    expect(await imported(csv)).to.deep.include({ updated: 0, unchanged: 1, changes: [] });
    expect(await stamp()).to.deep.equal(before);
  });

  it('needs no name for an asset that exists', async () => {
    const { imported, send, assets, create } = await importer();
    await create({ external_key: 'P-1', name: 'Named' });
    expect(await imported('external_key,name,is_active\nP-1,,false')).to.include({ updated: 1 });
    expect((await assets())[0]).to.include({ name: 'Named', is_active: false });
    expectIssues(await send('external_key,name,is_active\nP-1,,\nP-2,,\n,,true\n,,true'), [
      ['name', 'required'],
      ['name', 'required'],
      ['name', 'required'],
    ]);
  });

  it('says in a dry run what it would do, and does nothing', async () => {
    const { imported, assets, create, orgId } = await importer();
    await create({ external_key: 'P-1', name: 'Old' });
    const csv = 'external_key,name,tags\nP-1,New,\nP-2,Two,rfid:E9\n,Keyless,';
    const dry = await imported(csv, { path: `${PATH}?dry_run=true` });
    expect(dry).to.deep.include({ dry_run: true, rows: 3, created: 2, updated: 1 });
    expect(dry['changes']).to.deep.include({
      line: 4,
      action: 'create',
      external_key: null,
      name: 'Keyless',
      fields: [],
    });
    expect((await assets()).map((asset) => asset['name'])).to.deep.equal(['Old']);
    expect(
      await api.database.rows('select from external_key_counters where org_id = $1', [orgId]),
    ).to.have.length(0);
    expect(await imported(csv)).to.deep.include({ created: 2, updated: 1 });
  });

  it('reports every bad row with line, field, code and message, and imports nothing', async () => {
    const { send, assets, create } = await importer();
    await create({ external_key: 'OTHER', name: 'Other', tags: [{ tag_type: 'rfid', value: 'E1' }] });
    const answer = await send(
      [
        'external_key,name,is_active,valid_from,metadata,tags',
        'P-1,Good,,,,',
        'p 2,"multi\nline",,,,',
        'P-3,Bad,maybe,yesterday,[],rfid',
        'P-1,Again,,,,',
        'P-5,Tagged,,,,rfid:E1',
        'P-6,One,,,,rfid:E2',
        'P-7,Two,,,,rfid:E2',
        'P-8,Surplus,,,,,x',
        'P-9,Type,,,,nfc:1;rfid:',
        'P-10,Cut off,,,"{""a"":",',
        'P-11,Twice,,,,rfid:E3;barcode:E3;rfid:E3',
      ].join('\n'),
    );
    expect(
      answer.body?.error?.fields?.map(({ field, code, params }) => [params?.['line'], field, code]),
    ).to.deep.equal(
      [
        [3, 'external_key', 'invalid_value'],
        [5, 'is_active', 'invalid_value'],
        [5, 'tags', 'invalid_value'],
        [5, 'valid_from', 'invalid_value'],
        [5, 'metadata', 'invalid_value'],
        [6, 'external_key', 'invalid_value'],
        [7, 'tags', 'invalid_value'],
        [9, 'tags', 'invalid_value'],
        [10, 'file', 'invalid_value'],
        [11, 'tags[0].tag_type', 'invalid_value'],
        [11, 'tags[1].value', 'too_short'],
        [12, 'metadata', 'invalid_value'],
        [13, 'tags', 'invalid_value'],
      ].sort(([a], [b]) => Number(a) - Number(b)),
    );
    expect(answer.body?.error?.fields?.[0]?.message).to.match(/^line 3: external_key must match/);
    expect((await assets()).map((asset) => asset['external_key'])).to.deep.equal(['OTHER']);
  });

  it('tells all that is wrong with a row at once, that it has no name too', async () => {
    const { send, create } = await importer();
    await create({ external_key: 'THERE', name: 'There' });
    const answer = await send(
      [
        'external_key,name,is_active,metadata',
        'NEW,,maybe,[]',
        'THERE,,maybe,',
        'p 4,,,',
        ',,maybe,',
        'NEW,,maybe,',
      ].join('\n'),
    );
    expect(
      answer.body?.error?.fields?.map(({ field, code, params }) => [params?.['line'], field, code]),
    ).to.deep.equal([
      [2, 'is_active', 'invalid_value'],
      [2, 'metadata', 'invalid_value'],
      [2, 'name', 'required'],
      [3, 'is_active', 'invalid_value'],
      [4, 'external_key', 'invalid_value'],
      [4, 'name', 'required'],
      [5, 'is_active', 'invalid_value'],
      [5, 'name', 'required'],
      [6, 'is_active', 'invalid_value'],
      [6, 'external_key', 'invalid_value'],
    ]);
  });

  it('counts the faults of a row that are not listed', async () => {
    const { send } = await importer();
    const answer = await send(`name,tags\nBox,${Array.from({ length: 150 }, () => 'nfc:1').join(';')}`);
    expect(answer.body?.error?.fields).to.have.length(100);
    expect(answer.body?.error?.detail).to.match(/and 149 more/);
  });

  for (const [what, csv, issues, message] of [
    ['an empty file', '', [['file', 'invalid_value']], 'is empty'],
    ['no name column', 'external_key\nA', [['name', 'required']], 'column name'],
    ['an unknown column', 'name,colour\nA,red', [['colour', 'unknown_field']], 'external_key, name'],
    ['a repeated column', 'name,Name\nA,B', [['name', 'invalid_value']], 'one column'],
    [
      'an unknown column after a semicolon',
      'name;colour\nA;red',
      [['colour', 'unknown_field']],
      'external_key, name',
    ],
    ['an open quotation mark', 'name\nA\n"B', [['file', 'invalid_value']], 'line 3: a quotation mark'],
    ['a quotation mark inside', 'name\nA"B', [['file', 'invalid_value']], 'line 2: a quotation mark'],
    ['text after a quotation', 'name\n"A"B', [['file', 'invalid_value']], 'line 2: text follows'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const answer = await (await importer()).send(csv);
      expectIssues(answer, issues);
      expect(answer.body?.error?.detail).to.include(message);
    });
  }

  for (const [name, separator] of [
    ['commas', ','],
    ['semicolons', ';'],
    ['tabs', '\t'],
  ] as const) {
    it(`takes ${name} between cells, whatever the cells have in them`, async () => {
      const { imported, assets } = await importer();
      const rows = [
        ['\uFEFF"Name"', 'tags', 'description', 'external_key'],
        ['"One"', '"rfid:E1;barcode:4,5;rfid:E2"', '"a, b; c\td"', 'P-1'],
        ['Two', '', '', 'P-2'],
      ];
      await imported(rows.map((cells) => cells.join(separator)).join('\r\n'));
      expect(
        (await assets()).map(({ external_key, tags, description }) => [external_key, tags, description]),
      ).to.deep.equal([
        ['P-1', 'rfid:E1 barcode:4,5 rfid:E2', 'a, b; c\td'],
        ['P-2', null, null],
      ]);
    });
  }

  for (const [name, { assets: expected, refused }] of Object.entries(SPREADSHEETS)) {
    it(`takes or refuses what spreadsheets leave, whole: ${name}`, async () => {
      const { send, assets } = await importer();
      const answer = await send(readFileSync(new URL(`${name}.csv`, FIXTURES)));
      const stored = (await assets()).map((row) => [
        row['external_key'],
        row['name'],
        row['description'],
        row['tags'],
      ]);
      expect(stored).to.deep.equal(expected ?? []);
      const faults = answer.body?.error?.fields ?? [];
      expect(faults.map(({ field }) => field)).to.deep.equal(refused?.map(([field]) => field) ?? []);
      for (const [at, [, message]] of (refused ?? []).entries()) {
        expect(faults[at]?.message).to.include(message);
      }
    });
  }

  it('takes a file of one column, whose cells may have anything in them', async () => {
    const { imported, assets } = await importer();
    await imported('name\nA;B\n"C,D"\n');
    expect((await assets()).map(({ name }) => name)).to.deep.equal(['A;B', 'C,D']);
  });

  it('names the remedy for a file that is UTF-16, with a byte order mark or without', async () => {
    const { send } = await importer();
    for (const bytes of [
      Buffer.from('\uFEFFname\nA\n', 'utf16le'),
      Buffer.from('name\nA\n', 'utf16le'),
      Buffer.from('\uFEFFname\nA\n', 'utf16le').swap16(),
    ]) {
      const answer = await send(bytes);
      expectIssues(answer, [['file', 'invalid_value']]);
      expect(answer.body?.error?.detail).to.match(/UTF-16 .*save it as "CSV UTF-8"/);
    }
  });

  it('says what to do with a workbook of a spreadsheet program', async () => {
    const { send } = await importer();
    for (const begin of ['504b030414000600', 'd0cf11e0a1b11ae1']) {
      const answer = await send(Buffer.from(`${begin}00ff00ff`, 'hex'));
      expectIssues(answer, [['file', 'invalid_value']]);
      expect(answer.body?.error?.detail).to.match(/workbook .*\.xlsx.*save it as "CSV UTF-8"/);
    }
  });

  it('leaves out columns named -, whatever they have', async () => {
    const { imported, assets } = await importer();
    await imported('-,name,-\n"=x",Crate,{\n');
    expect((await assets()).map(({ name }) => name)).to.deep.equal(['Crate']);
  });

  itByNight('finds rows by their keys, though the database knows nothing of its tables', async () => {
    const { imported, assets } = await importer();
    for (const table of ['assets', 'tags']) {
      await api.database.rows(`alter table ${table} set (autovacuum_enabled = off)`);
    }
    const counts = async () => {
      const [row] = await api.database.rows<{ read: number; written: number }>(
        `select sum(idx_tup_fetch + seq_tup_read)::int8 as read, sum(n_tup_ins + n_tup_upd)::int8 as written
         from pg_stat_user_tables where relname in ('assets', 'tags')`,
      );
      return row ?? { read: 0, written: 0 };
    };
    /** What of both tables importing reads. */
    const readBy = async (name: string) => {
      const before = await counts();
      const rows = Array.from({ length: 3_000 }, (_, index) => `S-${index},${name},rfid:5${name}${index}`);
      await imported(`external_key,name,tags\n${rows.join('\n')}`);
      let after = await counts();
      // What a connection has counted it tells others after its next statement, if that is a second later.
      while (after.written < before.written + 6_000) {
        await imported(`external_key,name\nNEXT,${name}`);
        await api.database.rows('select pg_stat_clear_snapshot()');
        after = await counts();
      }
      return after.read - before.read;
    };
    // Some for each row. Were rows looked for among all of the organization, it would be millions.
    expect(await readBy('Old'), 'created').to.be.below(3_000 * 50);
    expect(await readBy('New'), 'updated').to.be.below(3_000 * 50);
    const named = (await assets()).filter(({ external_key: key }) => key !== 'NEXT');
    expect(new Set(named.map(({ name }) => name))).to.deep.equal(new Set(['New']));
  });

  it('refuses what is not UTF-8, and says where', async () => {
    const { send } = await importer();
    const answer = await send(Buffer.from('name\nGood\nK\xe4se\n', 'latin1'));
    expectIssues(answer, [['file', 'invalid_value']]);
    expect(answer.body?.error?.detail).to.match(/not UTF-8 .*Windows-1252.*save it as "CSV UTF-8"/);
  });

  it('refuses 50,001 rows', async () => {
    const { send } = await importer();
    const answer = await send(`external_key,name\n${'P 1,x\n'.repeat(50_001)}`);
    expect(answer.body?.error?.detail).to.match(/and 50000 more/);
    expect(answer.body?.error?.fields).to.have.length(1_000);
  });

  it("never sees or touches another organization's assets", async () => {
    const one = await importer();
    const two = await importer();
    await one.create({ external_key: 'P-1', name: 'One', tags: [{ tag_type: 'rfid', value: 'E1' }] });
    expect(await two.imported('external_key,name,tags\nP-1,Two,rfid:E1')).to.include({ created: 1 });
    expect((await one.assets())[0]).to.include({ name: 'One' });
  });

  it('lets one import of an organization run at a time', async () => {
    const { imported, orgId, send } = await importer();
    const other = await api.database.pool.connect();
    await other.query('begin');
    await other.query('select pg_advisory_xact_lock(7461728, $1)', [orgId]);
    expectProblem(await send('name\nA'), 'conflict');
    await other.query('rollback');
    other.release();
    expect(await imported('name\nA')).to.include({ created: 1 });
  });

  it('gives up nothing when a key is created while it runs', async () => {
    const { imported, create, assets } = await importer();
    const csv = `external_key,name\n${Array.from({ length: 2_000 }, (_, index) => `K-${index},Imported`).join('\n')}`;
    const [report] = await Promise.all([
      imported(csv),
      ...Array.from({ length: 20 }, (_, index) =>
        create({ external_key: `K-${index * 97}`, name: 'Created' }),
      ),
    ]);
    expect(Number(report['created']) + Number(report['updated'])).to.equal(2_000);
    const names = (await assets()).map((asset) => asset['name']);
    expect(names).to.have.length(2_000);
    expect(new Set(names)).to.deep.equal(new Set(['Imported']));
  });

  it('waits for a create that has its key and takes a tag next, and holds nothing that it waits for', async () => {
    const { send, orgId, key } = await importer();
    const rows = Array.from({ length: 1_200 }, (_, index) => `C-${index},Imported,rfid:C-${index}`);
    const creating = await api.database.pool.connect();
    await creating.query('begin');
    const { rows: created } = await creating.query(
      `insert into assets (org_id, external_key, name) values ($1, 'C-1100', 'Created') returning id`,
      [orgId],
    );
    const importing = send(`external_key,name,tags\n,Keyless,rfid:C\n${rows.join('\n')}`);
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into assets%'`;
    while ((await api.database.rows(waiting)).length === 0) {
      await pause(10);
    }
    // It has not begun to mint keys, so this is not held up.
    const minted = await api.call({ method: 'POST', path: '/api/v1/assets', key, json: { name: 'Minted' } });
    expect(minted.body?.data.external_key).to.equal('ASSET-0001');
    await creating.query(
      `insert into tags (org_id, asset_id, tag_type, value, tag_key) values ($1, $2, 'rfid', 'C-1', 'C1')`,
      [orgId, created[0]?.id],
    );
    await creating.query('commit');
    creating.release();
    expectIssues(await importing, [['tags', 'invalid_value']]);
  });
});
