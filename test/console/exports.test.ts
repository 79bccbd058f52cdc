import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { useConsole } from '../support/console.ts';
import { Site } from '../support/site.ts';

const FORMULAS = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', "'=1", "''@1", '＝1', "'text", 'a=1', 'a\nb'],
  ...['a;=1', "a;'=1", 'a;"=1', 'a\n@1', '-a\r\n-b'],
];

describe('the exports of the console', () => {
  const suite = useConsole();
  const { call } = suite;
  const exported = async (path: string, orgId = suite.orgId) => {
    const mark = path.includes('?') ? '&' : '?';
    return call({ path: `/exports/${path}${mark}organization=${orgId}` });
  };
  const importing = (csv: string, token: string, query = '') => {
    const form = new FormData();
    form.set('file', new Blob([csv]));
    return fetch(`${suite.url}/console/v1/assets/bulk${query}`, {
      method: 'POST',
      body: form,
      headers: { Cookie: `tagtrail_session=${token}`, Origin: suite.url, 'X-Tagtrail-Console': '1' },
    });
  };

  it('are harmless in spreadsheets, and import again as they were', async () => {
    for (const [index, name] of FORMULAS.entries()) {
      const tags = [{ tag_type: 'barcode', value: `${index}-${name}` }];
      const json = { external_key: `-F-${index}`, name, description: name, metadata: { name }, tags };
      expect((await call({ method: 'POST', path: '/assets', json })).status).to.equal(201);
    }
    const { status, headers, text } = await exported('assets');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^text\/csv/);
    expect(headers.get('content-disposition')).to.equal('attachment; filename="assets.csv"');
    const cells = text.split(/\r\n|,/).map((cell) => cell.replace(/^"|"$/g, ''));
    expect(cells.filter((cell) => /^[=+\-@\t＝]/.test(cell))).to.deep.equal([]);
    expect(
      text.split(/[\r\n;]+/).filter((cell) => /^["']*[=+\-@]/.test(cell.replace(/^"*'.*/s, ''))),
    ).to.deep.equal([]);
    expect(text).to.include("'-F-0,'=1+1,'=1+1").and.to.include("'text,'text").and.to.include("'''@1");

    expect(await (await importing(text, suite.token, '?dry_run=true')).json()).to.deep.include({
      data: {
        ...{ dry_run: true, rows: FORMULAS.length, created: 0, updated: 0, unchanged: FORMULAS.length },
        ...{ changes: [], changes_left_out: 0 },
      },
    });
    const other = await suite.people.organization('Other');
    expect((await importing(text, await suite.as('admin', other))).status).to.equal(200);
    const names = await suite.database.rows<{ name: string }>(
      'select name from assets where org_id = $1 order by id',
      [other],
    );
    expect(names.map(({ name }) => name).sort()).to.deep.equal([...FORMULAS].sort());
  });

  it('rename nothing that was opened and saved by a spreadsheet, in whichever language', async () => {
    const site = await Site.create(suite.database, 'Spread');
    const admin = await suite.as('admin', site.orgId);
    const json = { external_key: 'MOEBEL', name: 'Möbel; "Größe" 7,5', description: 'für Łódź' };
    expect((await call({ method: 'POST', path: '/assets', json, token: admin })).status).to.equal(201);
    for (const key of ['007', '1-2', '3E5', '400638133393', 'MAR1']) {
      await call({ method: 'POST', path: '/assets', json: { external_key: key, name: key }, token: admin });
    }
    for (const separator of ['comma', 'semicolon'] as const) {
      const path = `/exports/assets?organization=${site.orgId}&separator=${separator}`;
      const answer = await fetch(`${suite.url}/console/v1${path}`, {
        headers: { Cookie: `tagtrail_session=${admin}` },
      });
      const saved = savedBySpreadsheet(new Uint8Array(await answer.arrayBuffer()), separator);
      const { data } = (await (await importing(saved, admin, '?dry_run=true')).json()) as { data: object };
      expect(data, separator).to.include({ rows: 6, created: 0, updated: 0, unchanged: 6 });
    }
  });

  it('have what the lists show with the same filters, and nothing that is deleted', async () => {
    const site = await Site.create(suite.database, 'Filtered');
    const viewer = await suite.as('viewer', site.orgId);
    const hall = await site.location('HALL');
    await site.location('HALL-1', hall);
    const crates = [
      await site.asset('CRATE-1', 'E1'),
      await site.asset('CRATE-2'),
      await site.asset('BOX-1'),
    ];
    await suite.database.rows('update assets set is_active = false where id = $1', [crates[1]]);
    await suite.database.rows(`update assets set valid_to = now() where id = $1`, [crates[2]]);
    const gone = await site.asset('CRATE-9');
    await suite.database.rows('update assets set deleted_at = now() where id = $1', [gone]);
    const keys = async (path: string) => {
      const { text } = await call({ path: `/exports/${path}`, token: viewer });
      return text
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0]);
    };
    expect(await keys('assets')).to.deep.equal(['CRATE-1', 'CRATE-2']);
    expect(await keys('assets?include_not_in_effect=true')).to.deep.equal(['BOX-1', 'CRATE-1', 'CRATE-2']);
    expect(await keys('assets?is_active=false')).to.deep.equal(['CRATE-2']);
    expect(await keys('assets?q=crate')).to.deep.equal(['CRATE-1', 'CRATE-2']);
    expect(await keys('assets?q=E1')).to.deep.equal(['CRATE-1']);
    expect(await keys('assets?external_key=CRATE-2&external_key=CRATE-9')).to.deep.equal(['CRATE-2']);
    expect(await keys('assets?location_external_key=HALL')).to.deep.equal([]);
    expect(await keys('locations')).to.deep.equal(['HALL', 'HALL-1']);
    expect(await keys(`locations?parent_id=${hall}`)).to.deep.equal(['HALL-1']);
    expect(await keys('locations?q=l-1')).to.deep.equal(['HALL-1']);
    expect((await call({ path: '/exports/assets?limit=1', token: viewer })).status).to.equal(400);
    expect((await exported('assets', site.orgId)).status).to.equal(403);
  });

  it('hold no connection of the database while their reader waits', async () => {
    const orgId = await suite.people.organization('Slow');
    const token = await suite.as('viewer', orgId);
    await suite.database.rows(
      `insert into assets (org_id, external_key, name, metadata)
       select $1, 'A-' || n, 'A', jsonb_build_object('text', repeat('x', 10000)) from generate_series(1, 2000) n`,
      [orgId],
    );
    const response = await fetch(`${suite.url}/console/v1/exports/assets`, {
      headers: { Cookie: `tagtrail_session=${token}` },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    // It holds one while a page is read ahead, and none from then on.
    while ((await busyConnections()) > 0);
    let bytes = 0;
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
      bytes += piece.value.length;
    }
    expect(bytes).to.be.greaterThan(20_000_000);
  });

  async function busyConnections(): Promise<number> {
    const [row] = await suite.database.rows<{ busy: number }>(
      `select count(*)::int as busy from pg_stat_activity
       where datname = current_database() and application_name like 'tagtrail console%' and state <> 'idle'`,
    );
    return row?.busy ?? Number.NaN;
  }
});

/**
 * As a spreadsheet of the separator's language reads CSV, and writes it: by the mark it knows UTF-8; without one, it takes
 * the bytes for Windows-1252. Numbers and dates are written as they are shown.
 */
function savedBySpreadsheet(bytes: Uint8Array, separator: 'comma' | 'semicolon'): string {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = new TextDecoder(isMarked ? 'utf-8' : 'windows-1252').decode(bytes);
  const delimiter = separator === 'comma' ? ',' : ';';
  const rows = parse(text, { delimiter }).map((cells) => cells.map(shownBySpreadsheet));
  return stringify(rows, { delimiter, bom: true });
}

function shownBySpreadsheet(cell: string): string {
  if (/^\d+(E\d+)?$/.test(cell)) {
    const value = Number(cell);
    return value < 1e11 && !cell.includes('E') ? String(value) : value.toExponential(2).toUpperCase();
  }
  return /^(\d+-\d+|MAR\d)$/.test(cell) ? '2-Jan' : cell;
}
