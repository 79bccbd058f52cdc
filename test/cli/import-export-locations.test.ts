import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { FieldIssue } from '../../base/checks/issues.ts';
import { useApi } from '../support/api.ts';
import { commandLineOn } from '../support/command-line.ts';
import { randomSets } from '../support/random-sets.ts';

describe('the command line on CSV files of locations', () => {
  const api = useApi();
  const { tagtrail, json, fails } = commandLineOn(() => api.database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-csv-'));
  after(() => rmSync(folder, { recursive: true }));

  /** An organization of the test's own. */
  async function site() {
    const { orgId, key } = await api.organization();
    const written = (content: string | Uint8Array) => {
      const path = join(folder, `${orgId}.csv`);
      writeFileSync(path, content);
      return path;
    };
    const importing = (content: string | Uint8Array, ...more: string[]) => [
      ...['import', 'locations', '--org', String(orgId), '--file', written(content)],
      ...more,
    ];
    return {
      orgId,
      importing,
      imports: (content: string | Uint8Array, ...more: string[]) => json(...importing(content, ...more)),
      exported: async () => (await json('export', 'locations', '--org', String(orgId))).csv as string,
      create: async (location: object): Promise<number> =>
        (await api.call({ method: 'POST', path: '/api/v1/locations', key, json: location })).body?.data.id,
      read: async (query: string) => (await api.call({ path: `/api/v1/locations${query}`, key })).body?.data,
      /** Keys with those of the parents, in the order of the keys. */
      tree: async () => {
        const rows = await api.database.rows(
          `select child.external_key || coalesce(' in ' || parent.external_key, '') as place
           from locations child left join locations parent on parent.id = child.parent_id and parent.org_id = child.org_id
           where child.org_id = $1 and child.deleted_at is null order by child.external_key`,
          [orgId],
        );
        return rows.map(({ place }) => place);
      },
      /** What is wrong with a file, as programs are told. */
      issues: async (content: string) => {
        const { status, stdout, stderr } = await tagtrail(...importing(content, '--json'));
        expect({ status, stdout }, stderr).to.deep.equal({ status: 1, stdout: '' });
        return (JSON.parse(stderr).error.issues as FieldIssue[]).map(({ field, code, message }) => [
          field,
          code,
          message,
        ]);
      },
    };
  }

  describe('import locations', () => {
    it('creates what is new with every column, children before their parents or after', async () => {
      const { imports, read, tree } = await site();
      const csv =
        '\uFEFFTags;Parent_External_Key;External_Key; NAME ;description;is_active;valid_from;valid_to\r\n' +
        '"barcode:a\\;b";AISLE;SHELF;"Shelf ""1""";"two\r\nlines";FALSE;2026-05-01T10:00:00+02:00;2999-01-01T00:00:00Z\r\n' +
        ';;SITE;Site;;;;\r\n' +
        ';SITE;AISLE;Aisle;;;;\r\n' +
        'rfid:E1;AISLE;;Without a key;;;;\r\n';
      expect(await imports(csv)).to.deep.equal({
        dry_run: false,
        rows: 4,
        created: 4,
        updated: 0,
        unchanged: 0,
        changes: [
          { line: 2, action: 'create', external_key: 'SHELF', name: 'Shelf "1"', fields: [] },
          { line: 4, action: 'create', external_key: 'SITE', name: 'Site', fields: [] },
          { line: 5, action: 'create', external_key: 'AISLE', name: 'Aisle', fields: [] },
          { line: 6, action: 'create', external_key: 'LOC-0001', name: 'Without a key', fields: [] },
        ],
        changes_left_out: 0,
      });
      expect(await tree()).to.deep.equal(['AISLE in SITE', 'LOC-0001 in AISLE', 'SHELF in AISLE', 'SITE']);
      const [shelf] = await read('?external_key=SHELF');
      expect(shelf).to.deep.include({
        name: 'Shelf "1"',
        description: 'two\r\nlines',
        parent_external_key: 'AISLE',
        is_active: false,
        valid_from: '2026-05-01T08:00:00.000Z',
        valid_to: '2999-01-01T00:00:00.000Z',
      });
      expect(shelf.updated_at).to.equal(shelf.created_at);
      expect(shelf.tags[0]).to.include({ tag_type: 'barcode', value: 'a;b' });
      const [root] = await read('?external_key=SITE');
      expect(
        (await read(`/${root.id}/descendants`)).map((each: { id: number }) => each.id > 0),
      ).to.deep.equal([true, true, true]);
    });

    it('updates and moves by key, field by field, and a second time changes nothing', async () => {
      const { imports, create, read, tree } = await site();
      await create({ external_key: 'OLD', name: 'Old' });
      await create({ external_key: 'NEW', name: 'New' });
      await create({ external_key: 'BIN', name: 'Bin', description: 'stays', parent_external_key: 'OLD' });
      const csv = 'external_key,name,description,parent_external_key,tags\nBIN,Box,,NEW,rfid:E1\nOLD,,,,\n';
      const [before] = await read('?external_key=BIN');
      expect((await imports(csv)).changes).to.deep.equal([
        {
          line: 2,
          action: 'update',
          external_key: 'BIN',
          name: 'Box',
          fields: [
            { field: 'name', from: 'Bin', to: 'Box' },
            { field: 'parent_external_key', from: 'OLD', to: 'NEW' },
            { field: 'tags', from: [], to: [{ tag_type: 'rfid', value: 'E1' }] },
          ],
        },
      ]);
      const [moved] = await read('?external_key=BIN');
      expect(moved).to.include({ id: before.id, description: 'stays', parent_external_key: 'NEW' });
      expect(moved.updated_at > before.updated_at).to.equal(true);
      expect(await imports(csv)).to.deep.include({ updated: 0, unchanged: 2, changes: [] });
      expect(await read('?external_key=BIN')).to.deep.equal([moved]);
      expect(await tree()).to.deep.equal(['BIN in NEW', 'NEW', 'OLD']);
      // What has a parent keeps it where the cell is empty, and is below what is new where the file says so.
      await imports('external_key,name,parent_external_key\nBIN,,\nNEW,,HALL\nHALL,Hall,');
      expect(await tree()).to.deep.equal(['BIN in NEW', 'HALL', 'NEW in HALL', 'OLD']);
    });

    it('turns a tree upside down, as long as no cycle is left', async () => {
      const { imports, tree } = await site();
      await imports('external_key,name,parent_external_key\nA,a,\nB,b,A\nC,c,B');
      const moved = await imports('external_key,name,parent_external_key\nD,d,\nA,a,B\nB,b,C\nC,c,D');
      expect(moved).to.include({ created: 1, updated: 3 });
      expect(await tree()).to.deep.equal(['A in B', 'B in C', 'C in D', 'D']);
    });

    it('says in a dry run what it would do, and does nothing', async () => {
      const { imports, importing, tree } = await site();
      await imports('external_key,name\nA,a\nB,b');
      const csv = 'external_key,name,parent_external_key\nB,b,C\nC,c,A\n,Keyless,C';
      const { stdout } = await tagtrail(...importing(csv, '--dry-run'));
      expect(stdout).to.equal(
        [
          'line 2: update B, b',
          '  parent_external_key: null -> "C"',
          'line 3: create C, c',
          'line 4: create (a new key), Keyless',
          'Nothing was changed. Of 3 rows: 2 would be created, 1 would be updated, 0 unchanged',
          '',
        ].join('\n'),
      );
      expect(await tree()).to.deep.equal(['A', 'B']);
      const [drawn] = await api.database.rows('select last_value from locations_id_seq');
      await imports(csv, '--dry-run');
      expect(await api.database.rows('select last_value from locations_id_seq')).to.deep.equal([drawn]);
    });

    it('names line, field and code of parents that there are not, and of all else that is wrong', async () => {
      const { issues, create, tree } = await site();
      await create({ external_key: 'STORED', name: 'Stored' });
      expect(
        await issues(
          [
            'external_key,name,parent_external_key,is_active',
            'A,a,NOWHERE,',
            ',Keyless,NEITHER,',
            'B,b,a b,',
            'C,,STORED,maybe',
            'D,d,C,',
            'E,e,LOC-0001,',
            'STORED,,STORED,maybe',
            ',,,maybe',
            'F,f,stored,',
          ].join('\n'),
        ),
      ).to.deep.equal([
        ['parent_external_key', 'fk_not_found', 'line 2: parent_external_key NOWHERE not found'],
        ['parent_external_key', 'fk_not_found', 'line 3: parent_external_key NEITHER not found'],
        ['parent_external_key', 'invalid_value', 'line 4: parent_external_key must match ^[A-Za-z0-9-]+$'],
        ['is_active', 'invalid_value', 'line 5: is_active must be true or false'],
        ['name', 'required', 'line 5: name is required'],
        // Line 6 is below line 5, which is told; and what a row without a key is to be called is not known.
        ['parent_external_key', 'fk_not_found', 'line 7: parent_external_key LOC-0001 not found'],
        ['is_active', 'invalid_value', 'line 8: is_active must be true or false'],
        ['is_active', 'invalid_value', 'line 9: is_active must be true or false'],
        ['name', 'required', 'line 9: name is required'],
        ['parent_external_key', 'fk_not_found', 'line 10: parent_external_key stored not found'],
      ]);
      expect(await tree()).to.deep.equal(['STORED']);
    });

    it('refuses cycles, each with the lines and the keys that are in it', async () => {
      const { issues, imports, importing, tree } = await site();
      await imports('external_key,name,parent_external_key\nA,a,\nB,b,A\nC,c,B');
      const header = 'external_key,name,parent_external_key\n';
      expect(await issues(`${header}ROOT,r,\nX,x,Z\nY,y,X\nZ,z,Y\nSELF,s,SELF\nLEAF,l,Y`)).to.deep.equal([
        [
          'parent_external_key',
          'invalid_value',
          'line 3: parent_external_key Z would create a cycle: X (line 3) in Z (line 5) in Y (line 4) in X',
        ],
        ['parent_external_key', 'invalid_value', 'line 6: parent_external_key SELF is the location itself'],
      ]);
      // Through what is stored, and not in the file.
      expect(await issues(`${header}D,d,C\nA,a,D`)).to.deep.equal([
        [
          'parent_external_key',
          'invalid_value',
          'line 2: parent_external_key C would create a cycle: D (line 2) in C in B in A (line 3) in D',
        ],
      ]);
      expect((await tagtrail(...importing(`${header}A,a,C`))).stderr).to.include(
        'line 2, parent_external_key: invalid_value: parent_external_key C would create a cycle: A (line 2) in C in B in A',
      );
      expect(await tree()).to.deep.equal(['A', 'B in A', 'C in B']);
    });

    it('names the first of a cycle that goes through a whole file', async () => {
      const { issues } = await site();
      const rows = Array.from({ length: 10_000 }, (_, index) => `K${index},n,K${(index + 1) % 10_000}`);
      const found = await issues(`external_key,name,parent_external_key\n${rows.join('\n')}`);
      expect(found).to.have.length(1);
      expect(found[0]?.[2]).to.match(/^line 2: .* K0 \(line 2\) in K1 \(line 3\) .* in 9990 more in K0$/);
    });

    it('imports a chain as deep as the file is long', async () => {
      const { imports, exported, orgId } = await site();
      const depth = randomSets(10_000);
      const rows = Array.from(
        { length: depth },
        (_, index) => `K${index},n,${index + 1 < depth ? `K${index + 1}` : ''}`,
      );
      expect(await imports(`external_key,name,parent_external_key\n${rows.join('\n')}`)).to.include({
        created: depth,
      });
      const [{ levels } = { levels: 0 }] = await api.database.rows<{ levels: number }>(
        `with recursive chain (id, level) as (
           select id, 1 from locations where org_id = $1 and parent_id is null
           union all select child.id, level + 1 from chain join locations child on child.org_id = $1 and child.parent_id = chain.id
         ) select max(level) as levels from chain`,
        [orgId],
      );
      expect(levels).to.equal(depth);
      expect((await exported()).trimEnd().split('\r\n')).to.have.length(1 + depth);
    });

    it("never sees another organization's locations, as parents or otherwise", async () => {
      const one = await site();
      const two = await site();
      await one.imports('external_key,name\nSITE,One');
      expect(await two.issues('external_key,name,parent_external_key\nA,a,SITE')).to.deep.equal([
        ['parent_external_key', 'fk_not_found', 'line 2: parent_external_key SITE not found'],
      ]);
      expect(await two.imports('external_key,name\nSITE,Two')).to.include({ created: 1 });
      expect((await one.read('?external_key=SITE'))[0].name).to.equal('One');
    });

    it('takes no column of assets', () =>
      site().then(async ({ importing }) =>
        fails(1, 'unknown column "metadata"', ...importing('name,metadata\nA,{}')),
      ));
    it('asks for the file', () => fails(2, '--file', 'import', 'locations', '--org', '1'));
  });

  describe('export locations', () => {
    it('writes what imports without a change, and is the same again in another organization', async () => {
      const { create, exported, imports, orgId } = await site();
      await create({
        external_key: 'Z-SITE',
        name: '=HYPERLINK("x"), "quoted"\r\nand broken',
        description: '  blanks; kept \\',
        is_active: false,
        valid_from: '2026-05-01T10:00:00.123Z',
        valid_to: '2999-01-01T00:00:00Z',
        tags: [
          { tag_type: 'barcode', value: 'a;b:c\\;' },
          { tag_type: 'ble', value: 'AA:BB:CC:DD:EE:FF' },
        ],
      });
      await create({ external_key: 'A-AISLE', name: 'Aisle', parent_external_key: 'Z-SITE' });
      await create({ name: 'Minted', parent_external_key: 'A-AISLE', valid_from: '2999-01-01T00:00:00Z' });
      const csv = await exported();
      const [header, first] = csv.split('\r\n');
      expect(header).to.equal(
        'external_key,name,description,parent_external_key,is_active,valid_from,valid_to,gln,biz_step,disposition,tags',
      );
      expect(first).to.match(/^A-AISLE,Aisle,,Z-SITE,true,/);
      const file = join(folder, 'out.csv');
      const exporting = ['export', 'locations', '--org', String(orgId)];
      expect(await json(...exporting, '--file', file)).to.deep.equal({ file, locations: 3 });
      expect(readFileSync(file, 'utf8')).to.equal(`\ufeff${csv}`);
      await tagtrail(...exporting, '--file', file, '--no-bom');
      expect(readFileSync(file, 'utf8')).to.equal(csv);
      expect((await tagtrail(...exporting)).stdout).to.equal(csv);
      expect(await imports(csv)).to.deep.include({ rows: 3, unchanged: 3, changes: [] });

      const other = await site();
      expect(await other.imports(csv)).to.include({ created: 3 });
      expect(await other.exported()).to.equal(csv);
    });

    it('says that there is no such organization', () =>
      fails(1, 'Organization 999 not found', 'export', 'locations', '--org', '999'));
  });
});
