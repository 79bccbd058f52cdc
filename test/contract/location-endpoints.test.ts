import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const BOTH = 'parent_id and parent_external_key are mutually exclusive; supply exactly one';

describe('locations', () => {
  const server = useApi();

  describe('GET /locations', () => {
    const client = useClient(server);
    const ids: Record<string, number> = {};
    before(async () => {
      for (const [external_key, parent] of [
        ['TOP', null],
        ['A', 'TOP'],
        ['B', 'TOP'],
        ['A-1', 'A'],
        ['GONE', 'A'],
      ] as const) {
        const parent_id = parent === null ? null : ids[parent];
        ids[external_key] = (await client.make('locations', { external_key, parent_id })).id;
      }
      await client.remove(`/locations/${ids['GONE']}`);
    });
    const keys = (query: string) => client.keys(`/locations?${query}`);

    it('wraps the rows with limit, offset and total_count', async () => {
      const { body } = await client.get('/locations');
      expect(Object.keys(body ?? {})).to.deep.equal(['data', 'limit', 'offset', 'total_count']);
      expect(body).to.include({ limit: 50, offset: 0, total_count: 4 });
      expect(body?.data[0]).to.deep.equal(await client.read('locations', ids['A'] ?? 0));
    });

    it('filters by any of several keys; a miss is an empty list', async () => {
      expect(await keys('external_key=B&external_key=TOP&external_key=B')).to.deep.equal(['B', 'TOP']);
      expect(await keys('external_key=top')).to.deep.equal([]);
    });

    it('filters by id, also a deleted one on request', async () => {
      expect(await keys(`id=${ids['A']}`)).to.deep.equal(['A']);
      expect(await keys(`id=${ids['GONE']}`)).to.deep.equal([]);
      expect(await keys(`id=${ids['GONE']}&include_deleted=true`)).to.deep.equal(['GONE']);
      expect(await keys('id=2147483647')).to.deep.equal([]);
      expect(await keys(`id=${ids['A']}&external_key=B`)).to.deep.equal([]);
    });

    it('filters by the immediate parent, by id or by key, as /children has it', async () => {
      for (const parent of ['TOP', 'A', 'A-1']) {
        const children = await client.keys(`/locations/${ids[parent]}/children`);
        expect(await keys(`parent_id=${ids[parent]}`)).to.deep.equal(children);
        expect(await keys(`parent_external_key=${parent}`)).to.deep.equal(children);
      }
      expect(await keys(`parent_id=${ids['TOP']}`)).to.deep.equal(['A', 'B']);
      expect(await keys(`parent_id=${ids['A']}&include_deleted=true`)).to.deep.equal(['A-1', 'GONE']);
      expect(await keys('parent_external_key=NONE')).to.deep.equal([]);
      expect(await keys('parent_external_key=top')).to.deep.equal([]);
      expect(await keys('parent_id=2147483647')).to.deep.equal([]);
    });

    it('filters by a parent that was deleted', async () => {
      const { id } = await client.make('locations', { external_key: 'PAST' });
      const child = await client.make('locations', { external_key: 'PAST-CHILD', parent_id: id });
      await client.remove(`/locations/${child.id}`);
      await client.remove(`/locations/${id}`);
      expect(await keys('parent_external_key=PAST&include_deleted=true')).to.deep.equal(['PAST-CHILD']);
      expect(await keys('parent_external_key=PAST')).to.deep.equal([]);
    });

    it('refuses both ways of naming the parent', async () => {
      expectFields(await client.get('/locations?parent_external_key=TOP&parent_id=1'), [
        { field: 'parent_id', code: 'ambiguous_fields', message: BOTH },
        { field: 'parent_external_key', code: 'ambiguous_fields', message: BOTH },
      ]);
    });

    for (const query of [
      `id=1&id=2`,
      'parent_id=1&parent_id=1',
      'parent_external_key=A&parent_external_key=A',
      'is_active=true&is_active=true',
      'include_deleted=true&include_deleted=false',
      'limit=1&limit=1',
      'offset=0&offset=0',
      'sort=name&sort=name',
      'q=a&q=a',
    ]) {
      it(`refuses ?${query}: it is not repeatable`, async () => {
        const field = query.split('=', 1)[0] ?? '';
        expectFields(await client.get(`/locations?${query}`), [{ field, code: 'invalid_value' }]);
      });
    }

    for (const field of ['is_active', 'include_deleted']) {
      it(`takes true or false for ${field} and nothing else`, async () => {
        for (const value of ['', '1', 'True', 'no']) {
          const answer = await client.get(`/locations?${field}=${value}`);
          expectFields(answer, [{ field, code: 'invalid_value' }]);
        }
      });
    }

    it('filters by activity', async () => {
      await client.patch(`/locations/${ids['B']}`, { is_active: false });
      expect(await keys('is_active=false')).to.deep.equal(['B']);
      expect(await keys('is_active=true')).to.deep.equal(['A', 'A-1', 'TOP']);
    });
  });

  describe('placing a location', () => {
    const client = useClient(server);
    let hall: number;
    let yard: number;
    before(async () => {
      ({ id: hall } = await client.make('locations', { external_key: 'HALL' }));
      ({ id: yard } = await client.make('locations', { external_key: 'YARD' }));
    });
    const inHall = () => ({ parent_id: hall, parent_external_key: 'HALL' });
    const atRoot = { parent_id: null, parent_external_key: null };

    it('on create takes the parent by id, by key, or none', async () => {
      expect(await client.make('locations', { parent_id: hall })).to.include(inHall());
      expect(await client.make('locations', { parent_external_key: 'HALL' })).to.include(inHall());
      expect(await client.make('locations', { parent_id: null })).to.include(atRoot);
      expect(await client.make('locations', { parent_external_key: null })).to.include(atRoot);
      expect(await client.make('locations')).to.include(atRoot);
    });

    it('on create refuses both forms beside all else that is wrong', async () => {
      const json = { is_active: null, parent_external_key: 'a b', parent_id: 0, name: '' };
      expectFields(await client.post('/locations', json), [
        { field: 'name', code: 'too_short' },
        { field: 'parent_id', code: 'ambiguous_fields', message: BOTH },
        { field: 'parent_external_key', code: 'ambiguous_fields', message: BOTH },
        { field: 'is_active', code: 'invalid_value' },
      ]);
    });

    it('on create refuses both forms, also equal, null and unresolvable ones', async () => {
      for (const json of [
        inHall(),
        atRoot,
        { parent_id: hall, parent_external_key: 'YARD' },
        { parent_id: hall, parent_external_key: null },
        { parent_id: null, parent_external_key: 'HALL' },
        { parent_id: 2147483647, parent_external_key: 'NONE' },
      ]) {
        await client.changingNothing(async () => {
          expectFields(await client.post('/locations', { name: 'Any', ...json }), [
            { field: 'parent_id', code: 'ambiguous_fields', message: BOTH },
            { field: 'parent_external_key', code: 'ambiguous_fields', message: BOTH },
          ]);
        });
      }
    });

    it('refuses a parent that does not resolve, is deleted or of another organization, by the form sent', async () => {
      const gone = await client.make('locations', { external_key: 'GONE' });
      await client.remove(`/locations/${gone.id}`);
      const { key } = await client.api.organization('Other');
      const foreign = await client.make('locations', { external_key: 'FOREIGN' }, { key });
      const { id } = await client.make('locations');
      for (const [field, value] of [
        ['parent_id', 2147483647],
        ['parent_id', gone.id],
        ['parent_id', foreign.id],
        ['parent_external_key', 'NONE'],
        ['parent_external_key', 'GONE'],
        ['parent_external_key', 'FOREIGN'],
        ['parent_external_key', 'hall'],
      ] as const) {
        const issue = { field, code: 'fk_not_found', message: `${field} ${value} not found` };
        await client.changingNothing(async () => {
          expectFields(await client.post('/locations', { name: 'Any', [field]: value }), [issue]);
          expectFields(await client.patch(`/locations/${id}`, { name: 'New', [field]: value }), [issue]);
        });
      }
    });

    it('takes a parent that is inactive or out of its window', async () => {
      const hidden = { is_active: false, valid_to: '2020-01-01T00:00:00Z' };
      const { id } = await client.make('locations', { ...hidden, external_key: 'HIDDEN' });
      expect((await client.make('locations', { parent_id: id })).parent_external_key).to.equal('HIDDEN');
      expect((await client.make('locations', { parent_external_key: 'HIDDEN' })).parent_id).to.equal(id);
    });

    describe('by PATCH', () => {
      for (const start of ['in the hall', 'at the root'] as const) {
        /** What becomes of each combination of the two forms: a place, an error code, or nothing. */
        const combinations = () =>
          [
            [{ parent_id: yard }, { parent_id: yard, parent_external_key: 'YARD' }],
            [{ parent_external_key: 'YARD' }, { parent_id: yard, parent_external_key: 'YARD' }],
            [
              { parent_id: yard, parent_external_key: 'YARD' },
              { parent_id: yard, parent_external_key: 'YARD' },
            ],
            [{ parent_id: hall, parent_external_key: 'HALL' }, inHall()],
            [{ parent_id: null }, atRoot],
            [{ parent_external_key: null }, atRoot],
            [atRoot, atRoot],
            [{ parent_id: yard, parent_external_key: 'HALL' }, 'ambiguous_fields'],
            [{ parent_id: hall, parent_external_key: 'YARD' }, 'ambiguous_fields'],
            [{ parent_id: null, parent_external_key: 'YARD' }, 'ambiguous_fields'],
            [{ parent_id: null, parent_external_key: 'HALL' }, 'ambiguous_fields'],
            [{ parent_id: yard, parent_external_key: null }, 'ambiguous_fields'],
            [{ parent_id: hall, parent_external_key: null }, 'ambiguous_fields'],
            [{}, undefined],
          ] as const;

        it(`${start} follows both forms in every combination`, async () => {
          for (const [json, outcome] of combinations()) {
            const made = await client.make('locations', start === 'in the hall' ? { parent_id: hall } : {});
            const patch = () => client.patch(`/locations/${made.id}`, json);
            if (outcome === 'ambiguous_fields') {
              await client.changingNothing(async () => {
                expectFields(await patch(), [
                  { field: 'parent_id', code: outcome, message: BOTH },
                  { field: 'parent_external_key', code: outcome, message: BOTH },
                ]);
              });
            } else {
              const { body } = await patch();
              const end = outcome ?? (start === 'in the hall' ? inHall() : atRoot);
              expect(body?.data, JSON.stringify(json)).to.include(end);
              const moved = made.parent_id !== end.parent_id;
              expect(body?.data.updated_at > made.updated_at, JSON.stringify(json)).to.equal(moved);
              expect(await client.read('locations', made.id)).to.deep.equal(body?.data);
            }
          }
        });
      }

      it('reports a form that does not resolve before it compares the two', async () => {
        const { id } = await client.make('locations');
        const noId = { field: 'parent_id', code: 'fk_not_found', message: 'parent_id 2147483647 not found' };
        const noKey = {
          field: 'parent_external_key',
          code: 'fk_not_found',
          message: 'parent_external_key NONE not found',
        };
        for (const [json, issues] of [
          [{ parent_id: 2147483647, parent_external_key: 'HALL' }, [noId]],
          [{ parent_id: hall, parent_external_key: 'NONE' }, [noKey]],
          [{ parent_id: 2147483647, parent_external_key: 'NONE' }, [noId, noKey]],
        ] as const) {
          expectFields(await client.patch(`/locations/${id}`, json), issues);
        }
      });
    });

    it('never makes a cycle, by either form', async () => {
      const a = await client.make('locations', { external_key: 'CYCLE-A' });
      const b = await client.make('locations', { external_key: 'CYCLE-B', parent_id: a.id });
      const c = await client.make('locations', { external_key: 'CYCLE-C', parent_id: b.id });
      await client.changingNothing(async () => {
        for (const json of [
          { parent_id: a.id },
          { parent_external_key: 'CYCLE-A' },
          { parent_id: a.id, parent_external_key: 'CYCLE-A' },
        ]) {
          const detail = `parent_id ${a.id} would create a self-referential cycle`;
          expectError(await client.patch(`/locations/${a.id}`, json), 409, 'conflict', detail);
        }
        for (const [place, key] of [
          [b, 'CYCLE-B'],
          [c, 'CYCLE-C'],
        ] as const) {
          for (const json of [{ parent_id: place.id }, { parent_external_key: key }]) {
            const detail = new RegExp(`^parent_id ${place.id} would create a cycle through location \\d+$`);
            expectError(await client.patch(`/locations/${a.id}`, json), 409, 'conflict', detail);
          }
        }
      });
      expect((await client.patch(`/locations/${c.id}`, { parent_id: a.id })).status).to.equal(200);
      expect((await client.patch(`/locations/${b.id}`, { parent_id: c.id })).status).to.equal(200);
    });
  });
});
