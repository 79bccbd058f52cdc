import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { RESOURCES, useClient } from '../support/contract-client.ts';
import type { Answer } from '../support/declared-answer.ts';

const count = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

function expectStatuses(answers: Answer[], expected: Record<number, number>): void {
  const found: Record<number, number> = {};
  for (const { status } of answers) {
    found[status] = (found[status] ?? 0) + 1;
  }
  expect(found, answers.map(({ text }) => text).join('\n')).to.deep.equal(expected);
}

const times = <Result>(rounds: number, work: (round: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: rounds }, (_, round) => work(round)));

describe('requests', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`at the same time, ${resource}`, () => {
      const client = useClient(server);

      it('are created once with one key', async () => {
        const answers = await times(10, () =>
          client.post(`/${resource}`, { name: 'x', external_key: 'ONE' }),
        );
        expectStatuses(answers, { 201: 1, 409: 9 });
      });

      it('are renamed once to one key', async () => {
        const made = await times(8, () => client.make(resource));
        const answers = await Promise.all(
          made.map(({ id }) => client.post(`/${resource}/${id}/rename`, { external_key: 'WANTED' })),
        );
        expectStatuses(answers, { 200: 1, 409: 7 });
      });

      it('are renamed and created to one key once', async () => {
        for (let round = 0; round < 5; round++) {
          const { id } = await client.make(resource);
          const external_key = `BOTH-${round}`;
          const answers = await Promise.all([
            client.post(`/${resource}/${id}/rename`, { external_key }),
            client.post(`/${resource}`, { name: 'x', external_key }),
          ]);
          expect(count(answers, 409)).to.equal(1);
        }
      });

      it('get one tag once', async () => {
        const made = await times(8, () => client.make(resource));
        const tag = { tag_type: 'rfid', value: 'wanted' };
        const answers = await Promise.all([
          ...made.map(({ id }) => client.post(`/${resource}/${id}/tags`, tag)),
          client.post(`/${resource}`, { name: 'x', tags: [tag] }),
        ]);
        expectStatuses(answers, { 201: 1, 409: 8 });
      });

      it('get tags in crossing orders, one of them whole and the other not at all', async () => {
        for (let round = 0; round < 8; round++) {
          const tags = ['a', 'b', 'c'].map((value) => ({ tag_type: 'ble', value: `${round}-${value}` }));
          const answers = await Promise.all([
            client.post(`/${resource}`, { name: 'x', tags }),
            client.post(`/${resource}`, { name: 'x', tags: tags.toReversed() }),
          ]);
          expectStatuses(answers, { 201: 1, 409: 1 });
        }
      });

      it('are deleted once, and lose a tag once', async () => {
        const made = await client.make(resource, { tags: [{ tag_type: 'rfid', value: 'lost' }] });
        const at = `/${resource}/${made.id}`;
        expectStatuses(await times(6, () => client.remove(`${at}/tags/${made.tags[0]?.id}`)), {
          204: 1,
          404: 5,
        });
        expectStatuses(await times(6, () => client.remove(at)), { 204: 1, 404: 5 });
      });

      it('are changed once by those who saw the same updated_at', async () => {
        for (let round = 0; round < 5; round++) {
          const { id, updated_at } = await client.make(resource);
          const answers = await times(4, (n) =>
            client.patch(`/${resource}/${id}`, { name: `Name ${n}`, updated_at }),
          );
          expectStatuses(answers, { 200: 1, 400: 3 });
          for (const { status, body } of answers) {
            if (status === 400) {
              expect(body?.error?.fields).to.have.length(1);
              expect(body?.error?.fields?.[0]).to.include({ field: 'updated_at', code: 'read_only' });
            }
          }
        }
      });

      it('keep the changes of all who change different fields, each at its own updated_at', async () => {
        for (let round = 0; round < 5; round++) {
          const { id } = await client.make(resource);
          const changes = [
            { name: 'Changed' },
            { description: 'changed' },
            { is_active: false },
            { valid_to: '2099-01-01T00:00:00.000Z' },
          ];
          const answers = await Promise.all(changes.map((json) => client.patch(`/${resource}/${id}`, json)));
          expectStatuses(answers, { 200: 4 });
          expect(await client.read(resource, id)).to.deep.include(Object.assign({}, ...changes));
          expect(new Set(answers.map(({ body }) => body?.data.updated_at)).size).to.equal(4);
        }
      });

      it('leave no live tag on a deleted one', async () => {
        for (let round = 0; round < 10; round++) {
          const { id } = await client.make(resource);
          const [attached, removed] = await Promise.all([
            client.post(`/${resource}/${id}/tags`, { tag_type: 'barcode', value: `race-${round}` }),
            client.remove(`/${resource}/${id}`),
          ]);
          expect(attached.status).to.be.oneOf([201, 404]);
          expect(removed.status).to.equal(204);
          const { id: next } = await client.make(resource);
          const again = await client.post(`/${resource}/${next}/tags`, {
            tag_type: 'barcode',
            value: `race-${round}`,
          });
          expect(again.status).to.equal(201);
        }
      });

      it('are listed and counted in one snapshot', async () => {
        const { key } = await client.api.organization();
        const creating = times(40, () => client.make(resource, {}, { key }));
        const lists = await times(20, () => client.get(`/${resource}?limit=200`, { key }));
        await creating;
        for (const { body } of lists) {
          expect(body?.total_count).to.equal(body?.data.length);
        }
      });
    });
  }

  describe('at the same time, the tree', () => {
    const client = useClient(server);

    const expectSound = async () => {
      const broken = await client.api.database.rows(
        `with recursive reached as (
         select org_id, id from locations where deleted_at is null and parent_id is null
         union all
         select child.org_id, child.id from locations child
         join reached on reached.org_id = child.org_id and reached.id = child.parent_id
         where child.deleted_at is null
       )
       select id from locations where deleted_at is null and id not in (select id from reached)
       union all
       select positions.asset_id from positions
       join assets on assets.id = positions.asset_id and assets.deleted_at is null
       join locations on locations.id = positions.location_id and locations.deleted_at is not null`,
      );
      expect(broken).to.deep.equal([]);
    };

    it('of two locations is never a circle', async () => {
      for (let round = 0; round < 10; round++) {
        const [a, b] = [await client.make('locations'), await client.make('locations')];
        const answers = await Promise.all([
          client.patch(`/locations/${a.id}`, { parent_id: b.id }),
          client.patch(`/locations/${b.id}`, { parent_id: a.id }),
        ]);
        expectStatuses(answers, { 200: 1, 409: 1 });
      }
      await expectSound();
    });

    it('of a ring of five is open at one place', async () => {
      for (let round = 0; round < 5; round++) {
        const ring = await times(5, () => client.make('locations'));
        const answers = await Promise.all(
          ring.map(({ id }, n) => client.patch(`/locations/${id}`, { parent_id: ring[(n + 1) % 5]?.id })),
        );
        expectStatuses(answers, { 200: 4, 409: 1 });
      }
      await expectSound();
    });

    it('survives moves in all directions', async () => {
      const places = await times(6, () => client.make('locations'));
      const answers = await times(36, (n) => {
        const parent_id = places[(n * 7 + 3) % 6]?.id;
        return client.patch(`/locations/${places[n % 6]?.id}`, { parent_id: n % 9 === 0 ? null : parent_id });
      });
      expect(count(answers, 200) + count(answers, 409)).to.equal(36);
      await expectSound();
    });

    it('has no live child under a deleted location, by create, by key or by move', async () => {
      for (let round = 0; round < 12; round++) {
        const place = await client.make('locations', { external_key: `PLACE-${round}` });
        const moved = await client.make('locations');
        const add = [
          () => client.post('/locations', { name: 'x', parent_id: place.id }),
          () => client.post('/locations', { name: 'x', parent_external_key: `PLACE-${round}` }),
          () => client.patch(`/locations/${moved.id}`, { parent_id: place.id }),
          () => client.patch(`/locations/${moved.id}`, { parent_external_key: `PLACE-${round}` }),
        ][round % 4];
        const remove = () => client.remove(`/locations/${place.id}`);
        const [first, second] = round % 8 < 4 ? [add, remove] : [remove, add];
        const answers = await Promise.all([first?.(), second?.()]);
        const statuses = answers.map((answer) => answer?.status ?? 0).toSorted((a, b) => a - b);
        // Either it was there in time and keeps the location alive, or it finds no parent.
        expect(statuses.join()).to.be.oneOf(['200,409', '201,409', '204,400']);
      }
      await expectSound();
    });

    it('has no live asset at a deleted location', async () => {
      for (let round = 0; round < 12; round++) {
        const place = await client.make('locations');
        const home = await client.make('locations');
        const asset = await client.make('assets');
        await client.scan(asset.id, home.id, '2026-05-01T09:00:00Z');
        const scan = () => client.scan(asset.id, place.id, '2026-05-01T10:00:00Z');
        const remove = () => client.remove(`/locations/${place.id}`);
        await Promise.all(round % 2 === 0 ? [scan(), remove()] : [remove(), scan()]);
      }
      await expectSound();
    });

    it('lets nothing but what is promised happen to a location that is renamed, moved and deleted', async () => {
      for (let round = 0; round < 6; round++) {
        const [parent, place] = [await client.make('locations'), await client.make('locations')];
        const answers = await Promise.all([
          client.post(`/locations/${place.id}/rename`, { external_key: `MOVING-${round}` }),
          client.patch(`/locations/${place.id}`, { parent_id: parent.id }),
          client.remove(`/locations/${place.id}`),
          client.remove(`/locations/${parent.id}`),
        ]);
        for (const { status, text } of answers) {
          expect(status, text).to.be.oneOf([200, 204, 400, 404, 409]);
        }
      }
      await expectSound();
    });
  });
});
