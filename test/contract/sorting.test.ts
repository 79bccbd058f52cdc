import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectFields, RESOURCES, useClient } from '../support/contract-client.ts';

const SORTS = {
  assets: ['external_key', 'name', 'created_at', 'updated_at'],
  locations: ['external_key', 'name', 'created_at', 'updated_at'],
};

describe('sorting', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`the order of ${resource}`, () => {
      const client = useClient(server);
      const NAMES: Record<string, string> = {
        b: 'same',
        a: 'z',
        'A-': 'same',
        A0: 'é',
        AA: 'Z',
        Aa: 'same',
        Z: '\u{1f527}',
        '-': 'ﬁ',
      };
      before(async () => {
        for (const [external_key, name] of Object.entries(NAMES)) {
          await client.make(resource, { external_key, name });
        }
      });
      const keys = (sort?: string, more = '') =>
        client.keys(`/${resource}?${sort === undefined ? '' : `sort=${sort}&`}${more}`);
      const BY_KEY = ['-', 'A-', 'A0', 'AA', 'Aa', 'Z', 'a', 'b'];
      const CREATED = Object.keys(NAMES);

      it('is that of the bytes of the key unless asked otherwise', async () => {
        expect(await keys()).to.deep.equal(BY_KEY);
        expect(await keys('')).to.deep.equal(BY_KEY);
        expect(await keys('external_key')).to.deep.equal(BY_KEY);
        expect(await keys('-external_key')).to.deep.equal(BY_KEY.toReversed());
      });

      it('is that of the bytes of the name, equal ones by id in the end', async () => {
        const sames = ['b', 'A-', 'Aa'];
        expect(await keys('name')).to.deep.equal(['AA', ...sames, 'a', 'A0', '-', 'Z']);
        const descending = await keys('-name');
        expect(descending.filter((key) => !sames.includes(key))).to.deep.equal(['Z', '-', 'A0', 'a', 'AA']);
        expect(descending.slice(4, 7).toSorted()).to.deep.equal(sames.toSorted());
        expect(await keys('name,-external_key')).to.deep.equal(['AA', 'b', 'Aa', 'A-', 'a', 'A0', '-', 'Z']);
        expect(await keys('-name,external_key')).to.deep.equal(['Z', '-', 'A0', 'a', 'A-', 'Aa', 'b', 'AA']);
      });

      it('is that of the creation, also for rows created at one instant', async () => {
        expect(await keys('created_at')).to.deep.equal(CREATED);
        expect(await keys('-created_at')).to.deep.equal(CREATED.toReversed());
        const { key } = await client.api.organization();
        await client.api.database.rows(
          `insert into ${resource} (org_id, external_key, name)
         select max(id), key, 'x' from organizations, unnest(array['c', 'a', 'b']) with ordinality k (key, n)
         group by key, n order by n`,
        );
        expect(await client.keys(`/${resource}?sort=created_at`, { key })).to.deep.equal(['c', 'a', 'b']);
      });

      it('is that of the last change, of which those since a time are found, deleted ones too', async () => {
        const { body } = await client.get(`/${resource}?external_key=A0`);
        const id = body?.data[0].id;
        const changed = await client.patch(`/${resource}/${id}`, { description: 'changed' });
        expect((await keys('-updated_at'))[0]).to.equal('A0');
        expect((await keys('updated_at')).at(-1)).to.equal('A0');
        const since = `updated_since=${changed.body?.data.updated_at}`;
        expect(await keys('', since)).to.deep.equal(['A0']);
        expect(await keys('', `${since}&q=changed`)).to.deep.equal(['A0']);
        const gone = await client.make(resource, { external_key: 'GONE', name: 'gone' });
        await client.remove(`/${resource}/${gone.id}`);
        expect(await keys('', since)).to.deep.equal(['A0']);
        expect(await keys('updated_at', `${since}&include_deleted=true`)).to.deep.equal(['A0', 'GONE']);
        expectFields(await client.get(`/${resource}?updated_since=yesterday`), [
          { field: 'updated_since', code: 'invalid_value' },
        ]);
      });

      it('is the same through pages of one row, whatever is sorted by', async () => {
        for (const sort of ['name', '-name', 'created_at', '-external_key', 'name,-created_at']) {
          const all = await keys(sort);
          const pages = [];
          for (let offset = 0; offset < all.length; offset++) {
            pages.push(...(await keys(sort, `limit=1&offset=${offset}`)));
          }
          expect(pages, sort).to.deep.equal(all);
        }
      });

      it('names every field that it cannot be by', async () => {
        expectFields(await client.get(`/${resource}?sort=size,name,-colour,size`), [
          { field: 'sort', code: 'invalid_value', message: 'unknown sort field: size' },
          { field: 'sort', code: 'invalid_value', message: 'unknown sort field: colour' },
        ]);
      });

      for (const [sort, unknown] of [
        ['nothing', 'nothing'],
        ['-nothing', 'nothing'],
        ['id', 'id'],
        ['Name', 'Name'],
        ['name,description', 'description'],
        ['deleted_at', 'deleted_at'],
        ['constructor', 'constructor'],
        ['__proto__', '__proto__'],
        ['%20', ' '],
        ['name,%20external_key', ' external_key'],
        ['%2Bname', '+name'],
      ] as const) {
        it(`is not that of ${sort}`, async () => {
          expectFields(await client.get(`/${resource}?sort=${sort}`), [
            { field: 'sort', code: 'invalid_value', message: `unknown sort field: ${unknown}` },
          ]);
        });
      }

      it('may be that of every field at once', async () => {
        const sort = SORTS[resource].map((field, index) => (index % 2 === 0 ? field : `-${field}`)).join();
        expect(await keys(sort)).to.deep.equal(BY_KEY);
      });

      it('is asked for once', async () => {
        expectFields(await client.get(`/${resource}?sort=name&sort=-name`), [
          { field: 'sort', code: 'invalid_value' },
        ]);
      });
    });
  }
});
