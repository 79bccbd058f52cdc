import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectError, RESOURCES, TITLE, useClient, WIRE_TIME } from '../support/contract-client.ts';

const HAS_DESCENDANTS =
  'location has descendant locations; reassign or remove them before deleting (cascade is not supported)';
const HAS_ASSETS =
  'location has assets placed at it; move or remove them before deleting (cascade is not supported)';

describe('states', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`a deleted one of ${resource}`, () => {
      const client = useClient(server);

      it('answers 204 without a body, and is gone from the default list and by id', async () => {
        const made = await client.make(resource, { external_key: 'GONE' });
        const { status, text, headers } = await client.remove(`/${resource}/${made.id}`);
        expect([status, text, headers.get('content-type')]).to.deep.equal([204, '', null]);
        expect(await client.keys(`/${resource}`)).to.deep.equal([]);
        const detail = `${TITLE[resource]} not found`;
        expectError(await client.get(`/${resource}/${made.id}`), 404, 'not_found', detail);
        expectError(await client.remove(`/${resource}/${made.id}`), 404, 'not_found', detail);
      });

      it('is 404 wherever it is named, and nothing changes it', async () => {
        const made = await client.make(resource);
        const at = `/${resource}/${made.id}`;
        await client.remove(at);
        await client.changingNothing(async () => {
          const answers = [
            await client.get(at),
            await client.patch(at, { is_active: false }),
            await client.patch(at, {}),
            await client.post(`${at}/rename`, { external_key: 'NEW' }),
            await client.post(`${at}/tags`, { tag_type: 'rfid', value: 'x' }),
            await client.remove(`${at}/tags/1`),
            await client.remove(at),
            ...(resource === 'assets'
              ? [await client.get(`${at}/history`)]
              : [
                  await client.get(`${at}/ancestors`),
                  await client.get(`${at}/children`),
                  await client.get(`${at}/descendants`),
                ]),
          ];
          for (const answer of answers) {
            expectError(answer, 404, 'not_found', `${TITLE[resource]} not found`);
          }
        });
      });

      it('says when it was deleted, which is when it changed last, and nothing else of it changed', async () => {
        const made = await client.make(resource, { external_key: 'ONCE', is_active: false });
        await client.remove(`/${resource}/${made.id}`);
        const { body } = await client.get(`/${resource}?external_key=ONCE&include_deleted=true`);
        const [row] = body?.data ?? [];
        expect(row.deleted_at).to.match(WIRE_TIME);
        expect(row.updated_at > made.updated_at).to.equal(true);
        expect(row).to.deep.equal({ ...made, updated_at: row.updated_at, deleted_at: row.deleted_at });
      });

      it('is listed beside the live one that has its key now', async () => {
        const first = await client.make(resource, { external_key: 'TWICE' });
        await client.remove(`/${resource}/${first.id}`);
        const second = await client.make(resource, { external_key: 'TWICE' });
        expect(await client.keys(`/${resource}?external_key=TWICE`)).to.deep.equal(['TWICE']);
        const { body } = await client.get(`/${resource}?external_key=TWICE&include_deleted=true`);
        expect(body?.data.map(({ id }: { id: number }) => id)).to.deep.equal([first.id, second.id]);
        const onlyLive = await client.get(`/${resource}?external_key=TWICE&include_deleted=false`);
        expect(onlyLive.body?.data.map(({ id }: { id: number }) => id)).to.deep.equal([second.id]);
      });

      it('is 404 for what never existed, too', async () => {
        expectError(await client.remove(`/${resource}/2147483647`), 404, 'not_found');
      });
    });
  }

  describe('a live one', () => {
    const client = useClient(server);

    for (const resource of RESOURCES) {
      it(`of ${resource} is switched off and on, and moves updated_at only when that changes it`, async () => {
        const made = await client.make(resource);
        const switchTo = async (is_active: boolean) =>
          (await client.patch(`/${resource}/${made.id}`, { is_active })).body?.data;
        const same = await switchTo(true);
        expect(same).to.deep.equal(made);
        const off = await switchTo(false);
        expect(off).to.include({ is_active: false, deleted_at: null });
        expect(off.updated_at > made.updated_at).to.equal(true);
        const on = await switchTo(true);
        expect(on.updated_at > off.updated_at).to.equal(true);
        expect(on.is_active).to.equal(true);
      });

      it(`of ${resource} has its window moved, and stays live`, async () => {
        const made = await client.make(resource);
        const window = { valid_from: '2030-01-01T00:00:00.000Z', valid_to: '2031-01-01T00:00:00.000Z' };
        const { body } = await client.patch(`/${resource}/${made.id}`, window);
        expect(body?.data).to.include({ ...window, deleted_at: null });
        expect(body?.data.updated_at > made.updated_at).to.equal(true);
      });
    }
  });

  describe('DELETE /locations/{location_id}', () => {
    const client = useClient(server);
    const TIME = '2026-05-01T10:00:00Z';

    it('is refused with live locations below, first, and then with live assets at it', async () => {
      const top = await client.make('locations');
      const middle = await client.make('locations', { parent_id: top.id });
      const leaf = await client.make('locations', { parent_id: middle.id });
      const asset = await client.make('assets');
      await client.scan(asset.id, middle.id, TIME);
      const remove = ({ id }: { id: number }) => client.remove(`/locations/${id}`);
      await client.changingNothing(async () => {
        expectError(await remove(top), 409, 'conflict', HAS_DESCENDANTS);
        expectError(await remove(middle), 409, 'conflict', HAS_DESCENDANTS);
      });
      expect((await remove(leaf)).status).to.equal(204);
      await client.changingNothing(async () => {
        expectError(await remove(middle), 409, 'conflict', HAS_ASSETS);
        expectError(await remove(top), 409, 'conflict', HAS_DESCENDANTS);
      });
      await client.scan(asset.id, top.id, '2026-05-01T11:00:00Z');
      expect((await remove(middle)).status).to.equal(204);
      expectError(await remove(top), 409, 'conflict', HAS_ASSETS);
      await client.remove(`/assets/${asset.id}`);
      expect((await remove(top)).status).to.equal(204);
    });

    it('is blocked by live rows whatever their activity and window', async () => {
      const place = await client.make('locations');
      const hidden = {
        is_active: false,
        valid_from: '2020-01-01T00:00:00Z',
        valid_to: '2021-01-01T00:00:00Z',
      };
      const child = await client.make('locations', { ...hidden, parent_id: place.id });
      const asset = await client.make('assets', hidden);
      await client.scan(asset.id, place.id, TIME);
      expectError(await client.remove(`/locations/${place.id}`), 409, 'conflict', HAS_DESCENDANTS);
      await client.remove(`/locations/${child.id}`);
      expectError(await client.remove(`/locations/${place.id}`), 409, 'conflict', HAS_ASSETS);
    });

    it('is not blocked by what is deleted, nor by assets that were there once', async () => {
      const place = await client.make('locations');
      const elsewhere = await client.make('locations');
      const child = await client.make('locations', { parent_id: place.id });
      const [moved, gone] = [await client.make('assets'), await client.make('assets')];
      await client.scan(moved.id, place.id, TIME);
      await client.scan(gone.id, place.id, TIME);
      await client.scan(moved.id, elsewhere.id, '2026-05-01T11:00:00Z');
      await client.remove(`/assets/${gone.id}`);
      await client.remove(`/locations/${child.id}`);
      expect((await client.remove(`/locations/${place.id}`)).status).to.equal(204);
    });

    it('keeps the parent of the row, and lets nothing new be put below it', async () => {
      const place = await client.make('locations', { external_key: 'CLOSED' });
      await client.remove(`/locations/${place.id}`);
      const other = await client.make('locations');
      await client.changingNothing(async () => {
        for (const parent of [{ parent_id: place.id }, { parent_external_key: 'CLOSED' }]) {
          for (const answer of [
            await client.post('/locations', { name: 'Any', ...parent }),
            await client.patch(`/locations/${other.id}`, parent),
          ]) {
            expect(answer.body?.error?.fields?.map(({ code }) => code)).to.deep.equal(['fk_not_found']);
          }
        }
      });
    });
  });
});
