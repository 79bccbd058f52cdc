import { expect } from 'chai';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../../db/timescale/connections/organization-door.ts';
import { exportFile } from '../../../../domain/master-data/imports/export-file.ts';
import { importFile } from '../../../../domain/master-data/imports/import-file.ts';
import { readStoredRows } from '../../../../domain/master-data/imports/stored-rows.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useApi } from '../../../support/api.ts';

const MEBIBYTE = 1_048_576;

describe('importing and exporting rows of much metadata', () => {
  const api = useApi();
  let door: OrganizationDoor;
  before(() => {
    door = openOrganizationDoor(api.database.url, { max: 2 });
  });
  after(() => door.end());

  /** Sixty assets of 300 KB each, one of 2 MB, and five of nothing. */
  async function organization() {
    const { orgId } = await api.organization();
    const ids = await api.database.rows<{ id: number }>(
      `insert into assets (org_id, external_key, name, metadata)
       select $1, 'M-' || lpad(n::text, 2, '0'), 'n', json_build_object('text', repeat('x', case
         when n < 60 then 300000 when n = 60 then 2000000 else 0 end))
       from generate_series(0, 65) n returning id`,
      [orgId],
    );
    return { db: door.of(orgId), ids: ids.map(({ id }) => id) };
  }

  it('has no more than a mebibyte of them in hand, or one that has more', async () => {
    const { db, ids } = await organization();
    const pieces: string[][] = [];
    for await (const rows of readStoredRows(db, 'asset', ids)) {
      const bytes = rows.reduce((sum, { metadata }) => sum + (metadata ?? '').length, 0);
      expect(bytes <= MEBIBYTE || rows.length === 1, `${rows.length} rows of ${bytes} bytes`).to.equal(true);
      pieces.push(rows.map(({ external_key: key }) => key));
    }
    expect(pieces.length).to.be.within(20, 30);
    expect(pieces.flat()).to.have.length(66);
  });

  it('writes as much of a file at a time, and all of it', async () => {
    const { db } = await organization();
    const lines: string[] = [];
    for await (const { text } of exportFile(db, 'asset')) {
      expect(text.length).to.be.below(2 * MEBIBYTE);
      lines.push(...text.trimEnd().split('\r\n'));
    }
    expect(lines.slice(1).map((line) => line.slice(0, 4))).to.deep.equal(
      Array.from({ length: 66 }, (_, index) => `M-${String(index).padStart(2, '0')}`),
    );
  });

  it('updates all of them, and leaves their metadata as it is', async () => {
    const { db } = await organization();
    const lengths = () =>
      api.database.rows(
        'select external_key, name, length(metadata::text) from assets where org_id = $1 order by 1',
        [db.orgId],
      );
    const before = await lengths();
    const outcome = await importFile(
      db,
      TEST_ACTOR,
      'asset',
      async function* () {
        yield Buffer.from(`external_key,name\n${before.map((row) => `${row['external_key']},m\n`).join('')}`);
      },
      { isDryRun: false },
    );
    expect(outcome).to.have.nested.property('report.updated', 66);
    expect(await lengths()).to.deep.equal(before.map((row) => ({ ...row, name: 'm' })));
  });
});
