import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectFields, RESOURCES, useClient } from '../support/contract-client.ts';

describe('search', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`q on ${resource}`, () => {
      const client = useClient(server);
      before(async () => {
        for (const [external_key, json] of [
          ['KEY-one', {}],
          ['NAMED', { name: 'Grüße aus ÅRHUS' }],
          ['TOLD', { description: 'a Long\nstory' }],
          ['TAGGED', { tags: [{ tag_type: 'rfid', value: 'E280-beef' }] }],
          ['PERCENT', { name: '100%' }],
          ['UNDER', { name: 'a_b' }],
          ['SLASH', { name: 'c:\\dir' }],
          ['GREEK', { name: 'ΣΊΣΥΦΟΣ' }],
          ['CYRIL', { description: 'Склад' }],
          ['PLAIN', { name: 'axb 100x' }],
          ['QUOTE', { name: `O'Brien "x" [y] (z) .* ^$ + ?` }],
          ['WIDE', { name: 'two  blanks ' }],
          ['EMOJI', { name: '🔧 wrench' }],
          ['CAFE', { name: 'Cafe\u0301 am Eck' }],
          ['CAFE-2', { tags: [{ tag_type: 'barcode', value: 'Caf\u00e9' }] }],
          ['FULL', { name: '\uff2c\uff41\uff47\uff45\uff52 \u00b2' }],
          ['STREET', { name: 'An der Straße' }],
          ['STREETS', { name: 'Strasse', description: 'ﬁnal' }],
        ] as const) {
          await client.make(resource, { external_key, ...json });
        }
        const gone = await client.make(resource, { external_key: 'GONE', name: 'vanished' });
        await client.remove(`/${resource}/${gone.id}`);
      });
      const found = (q: string, more = '') => client.keys(`/${resource}?q=${encodeURIComponent(q)}${more}`);

      for (const [q, expected] of [
        ['key-ONE', ['KEY-one']],
        ['EY-o', ['KEY-one']],
        ['GRÜSSE', ['NAMED']],
        ['caf\u00e9', ['CAFE', 'CAFE-2']],
        ['CAFE\u0301', ['CAFE', 'CAFE-2']],
        ['lager 2', ['FULL']],
        ['STRASSE', ['STREET', 'STREETS']],
        ['straße', ['STREET', 'STREETS']],
        ['ﬁnal', ['STREETS']],
        ['FINAL', ['STREETS']],
        ['grüß', ['NAMED']],
        ['GRÜ', ['NAMED']],
        ['århus', ['NAMED']],
        ['arhus', []],
        ['a LONG', ['TOLD']],
        ['e280-BEEF', ['TAGGED']],
        ['280-bee', ['TAGGED']],
        ['%', ['PERCENT']],
        ['0%', ['PERCENT']],
        ['_', ['UNDER']],
        ['a_b', ['UNDER']],
        ['\\', ['SLASH']],
        [':\\D', ['SLASH']],
        ['\\%', []],
        ['%%', []],
        ['*', ['QUOTE']],
        ['.*', ['QUOTE']],
        ["o'b", ['QUOTE']],
        ['(Z)', ['QUOTE']],
        ['  ', ['WIDE']],
        ['blanks ', ['WIDE']],
        ['СКЛАД', ['CYRIL']],
        ['склад', ['CYRIL']],
        ['ίσυ', ['GREEK']],
        ['🔧', ['EMOJI']],
        ['none of these', []],
        ['rfid', []],
      ] as const) {
        it(`finds ${expected.join() || 'nothing'} by ${JSON.stringify(q)}`, async () => {
          expect(await found(q)).to.deep.equal(expected);
        });
      }

      it('finds all when it is empty', async () => {
        expect(await found('')).to.have.length(18);
        expect((await client.get(`/${resource}?q`)).body?.total_count).to.equal(18);
      });

      it('finds deleted rows on request only, and no longer by a tag that was detached', async () => {
        expect(await found('vanished')).to.deep.equal([]);
        expect(await found('vanished', '&include_deleted=true')).to.deep.equal(['GONE']);
        const made = await client.make(resource, {
          external_key: 'ONCE',
          tags: [{ tag_type: 'ble', value: 'loose' }],
        });
        expect(await found('loose')).to.deep.equal(['ONCE']);
        await client.remove(`/${resource}/${made.id}/tags/${made.tags[0]?.id}`);
        expect(await found('loose')).to.deep.equal([]);
        await client.remove(`/${resource}/${made.id}`);
      });

      it('shows a row once, however many of its tags match, and combines with filters', async () => {
        const tags = ['multi-1', 'multi-2', 'multi-3'].map((value) => ({ tag_type: 'barcode', value }));
        const made = await client.make(resource, { external_key: 'MULTI', name: 'multi', tags });
        const { body } = await client.get(`/${resource}?q=MULTI`);
        expect(body?.total_count).to.equal(1);
        expect(body?.data).to.deep.equal([made]);
        expect(await found('multi', '&external_key=NAMED')).to.deep.equal([]);
        expect(await found('multi', '&external_key=MULTI&external_key=NAMED')).to.deep.equal(['MULTI']);
        expect(await found('multi', '&is_active=false')).to.deep.equal([]);
        await client.remove(`/${resource}/${made.id}`);
      });

      it('has one sigma in capitals for both small ones', async () => {
        const made = await client.make(resource, { external_key: 'SIGMA', name: 'ΟΔΟΣ' });
        for (const q of ['οδος', 'οδοσ', 'Οδος']) {
          expect(await found(q)).to.deep.equal(['SIGMA']);
        }
        await client.remove(`/${resource}/${made.id}`);
      });

      it('refuses control characters', async () => {
        for (const control of ['\u0000', '\u0001', '\u001f', '\u007f', '\u0008']) {
          const answer = await client.get(`/${resource}?q=a${encodeURIComponent(control)}b`);
          expectFields(answer, [
            { field: 'q', code: 'invalid_value', message: 'q must not contain control characters' },
          ]);
        }
      });

      it('has blanks as + or %20', async () => {
        for (const q of ['two++blanks', 'two%20%20blanks']) {
          expect(await client.keys(`/${resource}?q=${q}`)).to.deep.equal(['WIDE']);
        }
      });

      it('is given once', async () => {
        expectFields(await client.get(`/${resource}?q=a&q=a`), [{ field: 'q', code: 'invalid_value' }]);
      });

      it('answers 200 or 400 to what is no text', async () => {
        for (const q of ['%FF', '%ED%A0%80', '%', '%zz', '%C3', '+', '%2B']) {
          expect((await client.get(`/${resource}?q=${q}`)).status).to.be.oneOf([200, 400]);
        }
      });
    });
  }
});
