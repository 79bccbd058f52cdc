import { Readable } from 'node:stream';
import { expect } from 'chai';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import {
  ASSET_COLUMNS,
  type Column,
  type Columns,
  LOCATION_COLUMNS,
} from '../../domain/master-data/columns.ts';
import { exportFile } from '../../domain/master-data/imports/export-file.ts';
import { importFile } from '../../domain/master-data/imports/import-file.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useApi } from '../support/api.ts';
import type { Answer } from '../support/declared-answer.ts';

/** A value of each column, of which no two are the same, as requests and answers have it. */
function valuesOf(columns: Columns, from: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column], index) => [name, sampleOf(column, from + index)]),
  );
}

function sampleOf(column: Column, number: number): unknown {
  const { type, otherwise } = column;
  if (type === 'text' && column.form !== undefined) {
    return column.form === 'gln' ? `4012345000115.${number}` : `https://example.com/terms/${number}`;
  }
  switch (type) {
    case 'flag':
      return !otherwise;
    case 'time':
      return `20${number}-05-01T10:00:00.123Z`;
    case 'json':
      return { number };
    case 'text':
      return `Text ${number}`;
  }
}

describe('every column that people fill in', () => {
  const api = useApi();
  let door: OrganizationDoor;
  before(() => {
    door = openOrganizationDoor(api.database.url, { max: 2, applicationName: 'test' });
    api.database.beforeDrop(() => door.end());
  });

  for (const { noun, columns, resource } of [
    { noun: 'assets', columns: ASSET_COLUMNS, resource: 'asset' },
    { noun: 'locations', columns: LOCATION_COLUMNS, resource: 'location' },
  ] as const) {
    const path = `/api/v1/${noun}`;
    const values = valuesOf(columns, 10);

    async function owner() {
      const { key, orgId } = await api.organization();
      const call = (method: string, below: string, json?: unknown) =>
        api.call({ method, path: path + below, key, ...(json === undefined ? {} : { json }) });
      const create = async (json: object) => dataOf(await call('POST', '', json)) as { id: number };
      const exported = async () => {
        let csv = '';
        for await (const { text } of exportFile(door.of(orgId), resource)) {
          csv += text;
        }
        return csv;
      };
      const imported = (csv: string) =>
        importFile(door.of(orgId), TEST_ACTOR, resource, () => Readable.from([Buffer.from(csv)]), {
          isDryRun: false,
        });
      return { call, create, exported, imported };
    }

    it(`of ${noun} is written by a create, with a key and without, and read back everywhere`, async () => {
      const { call, create } = await owner();
      for (const given of [{ external_key: 'KEYED', ...values }, values]) {
        const created = await create(given);
        expect(created).to.deep.include(values);
        expect(dataOf(await call('GET', `/${created.id}`))).to.deep.equal(created);
        const listed = await call('GET', '?include_not_in_effect=true&sort=-created_at&limit=1');
        expect(dataOf(listed)).to.deep.equal([created]);
      }
    });

    it(`of ${noun} is changed by a PATCH, one at a time`, async () => {
      const { call, create } = await owner();
      const { id } = await create({ name: 'Bare' });
      for (const [name, value] of Object.entries(values)) {
        const before = dataOf(await call('GET', `/${id}`)) as object;
        const { updated_at: _, ...after } = dataOf(
          await call('PATCH', `/${id}`, { [name]: value }),
        ) as Record<string, unknown>;
        expect({ ...before, ...after }).to.deep.equal({ ...before, [name]: value });
      }
      expect(dataOf(await call('GET', `/${id}`))).to.deep.include(values);
    });

    it(`of ${noun} is in a file that is exported, and imported into another organization`, async () => {
      const [from, to] = [await owner(), await owner()];
      await from.create({ external_key: 'KEYED', ...values });
      const csv = await from.exported();
      expect(await to.imported(csv)).to.deep.include({ isImported: true });
      expect(await to.exported()).to.equal(csv);
      const [found] = dataOf(await to.call('GET', '?include_not_in_effect=true')) as object[];
      expect(found).to.deep.include(values);
    });

    it(`of ${noun} is changed by an import, and named in its report`, async () => {
      const [from, to] = [await owner(), await owner()];
      await from.create({ external_key: 'KEYED', ...values });
      await to.create({ external_key: 'KEYED', name: 'Bare' });
      const csv = await from.exported();
      const outcome = await to.imported(csv);
      const fields = outcome.isImported ? (outcome.report.changes[0]?.fields ?? []) : [];
      expect(fields.map(({ field }) => field)).to.deep.equal(Object.keys(columns));
      expect(await to.exported()).to.equal(csv);
    });
  }
});

function dataOf({ body, status, text }: Answer): unknown {
  expect(status, text).to.be.within(200, 201);
  return (body as { data: unknown }).data;
}
