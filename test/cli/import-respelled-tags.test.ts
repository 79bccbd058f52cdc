import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { commandLineOn } from '../support/command-line.ts';
import { openIntake } from '../support/intake.ts';
import { Site } from '../support/site.ts';

const FIXTURES = 'test/fixtures/csv';
const FIRST = 'e2801160000002091234af01';
const SECOND = 'E2 80 11 60 00 00 02 09 12 34 AF 01';

describe('importing a tag that its asset or location has in another spelling', () => {
  const api = useApi();
  const { tagtrail, json } = commandLineOn(() => api.database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-csv-'));
  after(() => rmSync(folder, { recursive: true }));

  const importing = (orgId: number, file: string, resource = 'assets') => [
    ...['import', resource, '--org', String(orgId), '--file', file],
  ];
  const written = (csv: string) => {
    const path = join(folder, 'file.csv');
    writeFileSync(path, csv);
    return path;
  };
  const tagsOf = async (orgId: number) =>
    (
      await api.database.rows<{ value: string }>(
        'select value from tags where org_id = $1 and detached_at is null order by id',
        [orgId],
      )
    ).map(({ value }) => value);

  it('leaves the tag as it is, says so, and the asset goes on being read', async () => {
    const { orgId } = await api.organization();
    const site = Site.of(api.database, orgId);
    await json(...importing(orgId, `${FIXTURES}/tagged.csv`));
    const places = [await site.location('GATE'), await site.location('YARD')];
    await site.reader('dock-2', places, { format: 'csl-cs463' });
    const intake = await openIntake(api.database);
    const publish = (antennaPort: number, timeStampOfRead: number) =>
      intake.receive(
        'dock-2',
        JSON.stringify({ tags: [{ epc: FIRST.toUpperCase(), antennaPort, timeStampOfRead, rssi: '-60' }] }),
      );
    const start = Date.now() * 1_000;
    await publish(1, start - 60_000_000);

    const report = await json(...importing(orgId, `${FIXTURES}/tagged-respelled.csv`));
    expect(report).to.deep.include({
      ...{ created: 0, updated: 0, unchanged: 1, changes: [] },
      respelled: [{ line: 2, tag: `rfid:${SECOND}`, as: FIRST }],
    });
    const { stdout } = await tagtrail(...importing(orgId, `${FIXTURES}/tagged-respelled.csv`));
    expect(stdout).to.match(/line 2: tag rfid:E2 80 .* is another spelling of e2801160000002091234af01/);
    expect(await tagsOf(orgId)).to.deep.equal([FIRST]);

    await publish(2, start);
    const [position] = await api.database.rows('select location_id from positions where org_id = $1', [
      orgId,
    ]);
    expect(position).to.deep.equal({ location_id: places[1] });
  });

  it('attaches one of two spellings in one cell, with a key and without', async () => {
    const { orgId } = await api.organization();
    const csv =
      'external_key,name,tags\nA-1,Keyed,rfid:E1;rfid:e-1\n,Keyless,"ble:AC:23:3F:00:0A:01;ble:ac233f000a01"\n';
    const { created, respelled } = await json(...importing(orgId, written(csv)));
    expect(created).to.equal(2);
    expect(respelled).to.deep.equal([
      { line: 2, tag: 'rfid:e-1', as: 'E1' },
      { line: 3, tag: 'ble:ac233f000a01', as: 'AC:23:3F:00:0A:01' },
    ]);
    expect((await tagsOf(orgId)).toSorted()).to.deep.equal(['AC:23:3F:00:0A:01', 'E1']);
  });

  it('says nothing of spellings that are attached already, as an export names them', async () => {
    const { orgId, key } = await api.organization();
    const tags = [FIRST, SECOND].map((value) => ({ tag_type: 'rfid', value }));
    const made = await api.call({
      method: 'POST',
      path: '/api/v1/assets',
      key,
      json: { name: 'Both', tags },
    });
    expect(made.status, 'the API takes every value verbatim').to.equal(201);
    const { csv } = await json('export', 'assets', '--org', String(orgId));
    const report = await json(...importing(orgId, written(csv)));
    expect(report).to.include({ unchanged: 1 }).and.not.have.property('respelled');
    expect(await tagsOf(orgId)).to.deep.equal([FIRST, SECOND]);
  });

  it('holds for locations, and the report of the API says the same', async () => {
    const { orgId, key } = await api.organization();
    await json(
      ...importing(orgId, written('external_key,name,tags\nHALL,Hall,ble:AC233F000A01\n'), 'locations'),
    );
    const again = written('external_key,name,tags\nHALL,Hall,ble:AC:23:3F:00:0A:01\n');
    expect((await json(...importing(orgId, again, 'locations'))).respelled).to.deep.equal([
      { line: 2, tag: 'ble:AC:23:3F:00:0A:01', as: 'AC233F000A01' },
    ]);
    await json(...importing(orgId, `${FIXTURES}/tagged.csv`));
    const form = new FormData();
    form.set('file', new Blob([`external_key,name,tags\nRE-1,Reimport,"rfid:${SECOND}"\n`]));
    const answer = await fetch(`${api.url}/api/v1/assets/bulk?dry_run=true`, {
      ...{ method: 'POST', body: form, headers: { Authorization: `Bearer ${key}` } },
    });
    const { data } = (await answer.json()) as { data: { respelled: object[] } };
    expect(data.respelled).to.deep.equal([{ line: 2, tag: `rfid:${SECOND}`, as: FIRST }]);
  });
});
