import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectError, RESOURCES, useClient } from '../support/contract-client.ts';

const PREFIX = { assets: 'ASSET', locations: 'LOC' };

describe('minting', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    const prefix = PREFIX[resource];

    describe(`the minted external_key of ${resource}`, () => {
      const client = useClient(server);
      const organization = async () => {
        const { orgId, key } = await client.api.organization();
        const make = async (json?: object) => (await client.make(resource, json, { key })).external_key;
        return { orgId, key, make };
      };

      it('counts up from 1 in each organization, padded to four digits', async () => {
        for (const { make } of [await organization(), await organization()]) {
          expect([await make(), await make(), await make()]).to.deep.equal(
            ['0001', '0002', '0003'].map((number) => `${prefix}-${number}`),
          );
        }
      });

      it('is the same key everywhere the row is shown', async () => {
        const made = await client.make(resource);
        expect(made.external_key).to.match(new RegExp(`^${prefix}-\\d{4}$`));
        expect((await client.read(resource, made.id)).external_key).to.equal(made.external_key);
      });

      it('skips what a live row has, by creation or by rename, and only that', async () => {
        const { key, make } = await organization();
        await make({ external_key: `${prefix}-0001` });
        const renamed = await client.make(resource, { external_key: 'X' }, { key });
        await client.post(`/${resource}/${renamed.id}/rename`, { external_key: `${prefix}-0002` }, { key });
        await make({ external_key: `${prefix.toLowerCase()}-0003` });
        expect(await make()).to.equal(`${prefix}-0003`);
        const deleted = await client.make(resource, { external_key: `${prefix}-0004` }, { key });
        await client.remove(`/${resource}/${deleted.id}`, { key });
        expect(await make()).to.match(new RegExp(`^${prefix}-000[45]$`));
      });

      it("is not led astray by a caller's own large number", async () => {
        const { make } = await organization();
        await make();
        await make({ external_key: `${prefix}-99999999999` });
        await make({ external_key: `${prefix}-${'9'.repeat(200)}` });
        expect(await make()).to.equal(`${prefix}-0002`);
      });

      it('grows past four digits', async () => {
        const { orgId, make } = await organization();
        await make();
        await client.api.database.rows(
          'update external_key_counters set last_number = 9998 where org_id = $1',
          [orgId],
        );
        expect([await make(), await make(), await make()]).to.deep.equal(
          ['9999', '10000', '10001'].map((number) => `${prefix}-${number}`),
        );
      });

      it('is distinct for 20 creates at the same time, also while callers take numbers themselves', async () => {
        const { key, make } = await organization();
        for (let number = 3; number <= 9; number += 3) {
          await make({ external_key: `${prefix}-000${number}` });
        }
        const minted = Array.from({ length: 20 }, () =>
          client.post(`/${resource}`, { name: 'Any' }, { key }),
        );
        const own = [11, 13, 17].map((number) =>
          client.post(`/${resource}`, { name: 'Own', external_key: `${prefix}-00${number}` }, { key }),
        );
        const answers = await Promise.all(minted);
        await Promise.all(own);
        expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(201));
        const keys = new Set(answers.map(({ body }) => body?.data.external_key));
        expect(keys.size).to.equal(20);
        for (const minted of keys) {
          expect(minted).to.match(new RegExp(`^${prefix}-\\d{4}$`));
        }
      });

      it('makes a create that is repeated without a key another row, and one with a key a conflict', async () => {
        const [first, second] = [await client.make(resource), await client.make(resource)];
        expect(first.id).not.to.equal(second.id);
        expect(first.external_key).not.to.equal(second.external_key);
        const { external_key } = first;
        expectError(await client.post(`/${resource}`, { name: 'Any', external_key }), 409, 'conflict');
      });
    });
  }
});
