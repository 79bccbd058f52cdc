import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { FieldIssue } from '../../base/checks/issues.ts';
import { useApi } from '../support/api.ts';
import { commandLineOn } from '../support/command-line.ts';

describe('the command line on CSV files', () => {
  const api = useApi();
  const { tagtrail, json, fails } = commandLineOn(() => api.database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-csv-'));
  after(() => rmSync(folder, { recursive: true }));
  const written = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const importing = (orgId: number, file: string, ...more: string[]) => [
    ...['import', 'assets', '--org', String(orgId), '--file', file],
    ...more,
  ];

  describe('import assets', () => {
    it('imports what HTTP imports, with the same report', async () => {
      const { orgId } = await api.organization();
      const file = written('two.csv', 'external_key,name\nP-1,One\nP-2,Two\n');
      expect(await json(...importing(orgId, file))).to.deep.include({ dry_run: false, rows: 2, created: 2 });
      expect(await json(...importing(orgId, file))).to.deep.include({ created: 0, unchanged: 2 });
    });

    it('shows a dry run field by field and changes nothing', async () => {
      const { orgId } = await api.organization();
      await json(...importing(orgId, written('old.csv', 'external_key,name\nP-1,Old\n')));
      const file = written('new.csv', 'external_key,name,tags\nP-1,New,rfid:E1\nP-2,Two,\n');
      const { stdout } = await tagtrail(...importing(orgId, file, '--dry-run'));
      expect(stdout).to.equal(
        [
          'line 2: update P-1, New',
          '  name: "Old" -> "New"',
          '  tags: [] -> [{"tag_type":"rfid","value":"E1"}]',
          'line 3: create P-2, Two',
          'Nothing was changed. Of 2 rows: 1 would be created, 1 would be updated, 0 unchanged',
          '',
        ].join('\n'),
      );
      const names = await api.database.rows('select name from assets where org_id = $1', [orgId]);
      expect(names).to.deep.equal([{ name: 'Old' }]);
    });

    it('says what is wrong, line by line, and imports nothing', async () => {
      const { orgId } = await api.organization();
      const file = written('bad.csv', 'external_key,name\nP 1,One\nP-2,\n');
      const { status, stdout, stderr } = await tagtrail(...importing(orgId, file));
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr).to.include('nothing was imported');
      expect(stderr).to.match(
        /line 2, external_key: invalid_value: external_key must match.*\nline 3, name: required: name is required/,
      );
      expect(await api.database.rows('select from assets where org_id = $1', [orgId])).to.have.length(0);
    });

    it('says what is wrong to programs as well, with line, field, code and message', async () => {
      const { orgId } = await api.organization();
      const file = written('bad.csv', 'external_key,name\nP 1,One\nP-2,\n');
      const { status, stdout, stderr } = await tagtrail(...importing(orgId, file, '--json'));
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      const { error } = JSON.parse(stderr);
      expect(error).to.include({ code: 'invalid_input', issues_left_out: 0 });
      expect(
        error.issues.map(({ field, code, params }: FieldIssue) => [params?.['line'], field, code]),
      ).to.deep.equal([
        [2, 'external_key', 'invalid_value'],
        [3, 'name', 'required'],
      ]);
      expect(error.issues[0].message).to.match(/^line 2: external_key must match/);
    });

    it('names a file that is not there', () =>
      fails(2, '--file cannot be read', ...importing(api.orgId, join(folder, 'none.csv'))));
    it('names a folder that is given for a file', () =>
      fails(2, 'is a folder', ...importing(api.orgId, folder)));
    it('refuses a file that is too large', () =>
      fails(1, '10485760', ...importing(api.orgId, written('big.csv', 'x'.repeat(10_485_761)))));
    it('says that there is no such organization', () =>
      fails(1, 'Organization 999 not found', ...importing(999, written('ok.csv', 'name\nA\n'))));
    it('asks for the file', () => fails(2, '--file', 'import', 'assets', '--org', '1'));
  });

  describe('export assets', () => {
    it('writes what imports without a change, whatever is in it', async () => {
      const { orgId, key } = await api.organization();
      const create = (asset: object) =>
        api.call({ method: 'POST', path: '/api/v1/assets', key, json: asset });
      await create({
        external_key: 'P-1',
        name: '=HYPERLINK("x"), "quoted"\r\nand broken',
        description: '  blanks; kept \\',
        is_active: false,
        valid_from: '2026-05-01T10:00:00.123456Z',
        valid_to: '2999-01-01T00:00:00Z',
        metadata: { exact: 1.5, text: 'ü;"' },
        tags: [
          { tag_type: 'barcode', value: 'a;b:c\\;' },
          { tag_type: 'ble', value: 'AA:BB:CC:DD:EE:FF' },
        ],
      });
      await create({ name: 'Plain' });
      await create({ name: 'Not yet', valid_from: '2999-01-01T00:00:00Z' });
      const file = join(folder, 'out.csv');
      const exporting = ['export', 'assets', '--org', String(orgId)];
      expect(await json(...exporting, '--file', file)).to.deep.equal({ file, assets: 3 });
      const marked = readFileSync(file, 'utf8');
      const csv = marked.slice(1);
      expect(marked).to.equal(`\ufeff${csv}`);
      expect(csv.split('\r\n')[0]).to.equal(
        'external_key,name,description,is_active,valid_from,valid_to,metadata,tags',
      );
      expect((await tagtrail(...exporting)).stdout).to.equal(csv);
      expect(await json(...exporting)).to.deep.equal({ csv, assets: 3 });
      expect(await json(...importing(orgId, file))).to.deep.include({ rows: 3, unchanged: 3, changes: [] });

      const other = await api.organization();
      expect(await json(...importing(other.orgId, written('copy.csv', csv)))).to.deep.include({ created: 3 });
      expect(await json('export', 'assets', '--org', String(other.orgId))).to.deep.equal({ csv, assets: 3 });
    });

    it('says that there is no such organization', () =>
      fails(1, 'Organization 999 not found', 'export', 'assets', '--org', '999'));
    it('names a file that cannot be written', () =>
      fails(
        2,
        '--file',
        'export',
        'assets',
        '--org',
        String(api.orgId),
        '--file',
        join(folder, 'no/such/dir'),
      ));
  });
});
