import { expect } from 'chai';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { useConsole } from '../support/console.ts';
import { Site } from '../support/site.ts';

describe('formats in the console', () => {
  const suite = useConsole();
  const { call } = suite;
  const definition = { ...loadBuiltinFormats().get('tagtrail')?.definition, name: 'our-gate' };
  const source = JSON.stringify(definition, null, 2);
  const send = (method: string, path: string, json: object, token = suite.token) =>
    call({ method, path, json, token });
  const tryOut = async (json: object) =>
    (await send('POST', '/formats/try', { topic: 'a', payload: '{"value":"E2"}', ...json })).body.data;

  it('are tried while they are written: the reads, or each fault with its place', async () => {
    const { faults, run } = await tryOut({ source });
    expect(faults).to.deep.equal([]);
    expect(run.scans[0]).to.deep.include({ tag_type: 'rfid', value: 'E2', antenna: 1 });
    const named = await tryOut({ format: 'tagtrail', payload: 'eyJ2YWx1ZSI6IkUzIn0=', is_base64: true });
    expect(named.run.scans[0].value).to.equal('E3');
    const broken = await tryOut({ source: source.replace('"rules": [', '"rules": [[') });
    expect(broken.run).to.equal(null);
    expect(broken.faults[0].message).to.match(/^is not JSON: /);
    expect(broken.faults[0].line).to.be.greaterThan(2);
    const wrong = await tryOut({ source: source.replace('"name"', '"nome"') });
    const [unknown] = wrong.faults.filter(({ message }: { message: string }) => message.includes('nome'));
    expect(unknown.message).to.include('unknown key');
    const inside = await tryOut({ source: source.replace(/"decode": "[\w-]+"/, '"decode": "yaml"') });
    expect(inside.faults[0]).to.deep.include({ pointer: '/decode' });
    expect(source.split('\n')[inside.faults[0].line - 1]).to.include('"decode"');
  });

  it('are added, changed and deleted, unless a reader needs them', async () => {
    expect((await send('POST', '/formats', { source })).status).to.equal(200);
    expect((await send('POST', '/formats', { source })).status).to.equal(409);
    const made = await send('POST', '/readers', { name: 'Gate', topic: 'gate', format: 'our-gate' });
    expect(made.status, made.text).to.equal(200);
    const changed = JSON.stringify({ ...definition, description: 'Ours' });
    expect((await send('PATCH', '/formats/our-gate', { source: changed })).body.data.readers).to.equal(1);
    const { body } = await call({ path: '/formats' });
    expect(body.data.find(({ name }: { name: string }) => name === 'our-gate')).to.deep.include({
      ...{ is_builtin: false, is_own: true, description: 'Ours', readers: 1, fault: null },
    });
    expect((await call({ path: '/formats/our-gate' })).body.data.source).to.include('"Ours"');
    const used = await call({ method: 'DELETE', path: '/formats/our-gate' });
    expect([used.status, used.body.error.detail]).to.deep.equal([
      409,
      'Readers use it (Gate); give them another format first',
    ]);
    await send('PATCH', `/readers/${made.body.data.id}`, { format: 'tagtrail' });
    expect((await call({ method: 'DELETE', path: '/formats/our-gate' })).status).to.equal(204);
    expect((await call({ path: '/formats/our-gate' })).status).to.equal(404);
    const refused = await send('POST', '/formats', { source: '{"name": "x"' });
    expect(refused.body.error.fields[0]).to.deep.include({ field: 'source' });
  });

  it('are few: one more than fifty is refused, and those that there are can still be changed', async () => {
    const { orgId } = await Site.create(suite.database, 'Many');
    const token = await suite.as('admin', orgId);
    await suite.database.rows(
      `insert into formats (name, source, definition, org_id)
       select name, json_build_object('name', name), json_build_object('name', name)::jsonb, $1
       from (select 'many-' || number as name from generate_series(1, 49) number) named`,
      [orgId],
    );
    const last = JSON.stringify({ ...definition, name: 'last' });
    expect((await send('POST', '/formats', { source: last }, token)).status).to.equal(200);
    const more = await send('POST', '/formats', { source: last.replace('last', 'more') }, token);
    expect([more.status, more.body.error.detail]).to.deep.equal([
      409,
      'The organization has 50 formats of its own already; delete one that no reader uses',
    ]);
    const changed = JSON.stringify({ ...definition, name: 'last', description: 'Ours' });
    expect((await send('PATCH', '/formats/last', { source: changed }, token)).status).to.equal(200);
    const mine = JSON.stringify({ ...definition, name: 'mine' });
    expect((await send('POST', '/formats', { source: mine })).status).to.equal(200);
  });

  it('are small: a long one is refused, and so is one beyond 256 KiB of all together', async () => {
    const { orgId } = await Site.create(suite.database, 'Large');
    const token = await suite.as('admin', orgId);
    const sized = (name: string, bytes: number) => {
      const texts = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(bytes / 100 - 6, 'x'));
      const value = [{ item: '/v', if: [{ item: '/kind', in: texts }] }];
      return JSON.stringify({
        ...{ name, decode: 'json' },
        rules: [{ each: '', fields: { tag_type: [{ const: 'rfid' }], value } }],
      });
    };
    for (let at = 10; at < 18; at++) {
      const stored = await send('POST', '/formats', { source: sized(`large-${at}`, 31_000) }, token);
      expect(stored.status, stored.text).to.equal(200);
    }
    const tooLong = await send('POST', '/formats', { source: sized('long', 36_000) }, token);
    expect([tooLong.status, tooLong.body.error.detail]).to.deep.equal([
      400,
      `The format has ${sized('long', 36_000).length} bytes without blanks; at most 32768 are allowed`,
    ]);
    const tooMuch = await send('POST', '/formats', { source: sized('large-18', 31_000) }, token);
    expect([tooMuch.status, tooMuch.body.error.detail]).to.deep.equal([
      409,
      `The organization's formats would have ${9 * sized('large-18', 31_000).length} bytes together; at most 262144 ` +
        'are allowed: delete one that no reader uses',
    ]);
    const shorter = await send('PATCH', '/formats/large-17', { source: sized('large-17', 10_000) }, token);
    expect(shorter.status, shorter.text).to.equal(200);
  });

  it("are nobody else's: neither seen, nor used, nor replaced", async () => {
    const theirs = JSON.stringify({ ...definition, name: 'theirs' });
    const other = await Site.create(suite.database, 'Other');
    const token = await suite.as('admin', other.orgId);
    expect((await send('POST', '/formats', { source: theirs }, token)).status).to.equal(200);
    expect((await call({ path: '/formats' })).text).not.to.include('theirs');
    expect((await call({ path: '/formats/theirs' })).status).to.equal(404);
    expect((await send('PATCH', '/formats/theirs', { source: theirs })).status).to.equal(404);
    // A reader of theirs, which needs what the given definition does not have.
    const id = await other.reader('Of the competitor', [], { format: 'theirs' });
    await suite.database.rows(`update readers set identity_policy = 'eddystone' where id = $1`, [id]);
    const taken = await send('POST', '/formats', { source: theirs });
    expect([taken.status, taken.body.error.detail]).to.deep.equal([
      409,
      'The name theirs is taken; give the format another "name"',
    ]);
    const reader = await send('POST', '/readers', { name: 'A', topic: 'a', format: 'theirs' });
    expect(reader.status).to.equal(400);
    expect(reader.text).to.include('There is no format theirs').and.not.include('theirs,');
    expect((await send('PATCH', '/formats/tagtrail', { source }, token)).status).to.equal(404);
  });
});
