import { expect } from 'chai';
import { useConsole } from '../support/console.ts';
import { LOCKS_HERE } from '../support/until-waiting.ts';

describe('the imports of the console', () => {
  const suite = useConsole();
  const { call } = suite;
  const upload = (csv: string, { resource = 'asset', token = suite.token } = {}) =>
    call({
      method: 'POST',
      path: `/imports?resource=${resource}&file_name=file.csv`,
      body: csv,
      headers: { 'Content-Type': 'text/csv' },
      token,
    });
  const work = (id: number, kind: 'check' | 'apply', token = suite.token) =>
    call({ method: 'POST', path: `/imports/${id}/${kind}`, token });
  const checked = async (csv: string, resource = 'asset') => {
    const { body } = await upload(csv, { resource });
    return (await work(body.data.id, 'check')).body.data;
  };
  const names = async () =>
    (await call({ path: '/assets?limit=200' })).body.data.map(
      ({ external_key: key, name }: { external_key: string; name: string }) => `${key} ${name}`,
    );

  it('show what a file would change, field by field, before anything is changed', async () => {
    await call({ method: 'POST', path: '/assets', json: { external_key: 'OLD', name: 'Old' } });
    await call({ method: 'POST', path: '/assets', json: { external_key: 'SAME', name: 'Same' } });
    const { body } = await upload(
      'external_key,name,tags\nOLD,New,rfid:E1\nSAME,Same,\nNEW,Crate,ble:B1\n,Keyless,\n',
    );
    expect(body.data).to.include({
      state: 'uploaded',
      resource: 'asset',
      file_name: 'file.csv',
      outcome: null,
    });
    const answer = await work(body.data.id, 'check', await suite.as('operator'));
    expect(answer.body.data).to.include({ state: 'checked', applied_at: null });
    expect(answer.body.data.outcome).to.deep.equal({
      rows: 4,
      counts: { created: 2, updated: 1, unchanged: 1, faulty: 0 },
      shown: {
        created: [
          {
            ...{ line: 4, external_key: 'NEW', name: 'Crate' },
            fields: [
              { field: 'name', from: null, to: 'Crate' },
              { field: 'tags', from: null, to: [{ tag_type: 'ble', value: 'B1' }] },
            ],
          },
          {
            ...{ line: 5, external_key: null, name: 'Keyless' },
            fields: [{ field: 'name', from: null, to: 'Keyless' }],
          },
        ],
        updated: [
          {
            ...{ line: 2, external_key: 'OLD', name: 'New' },
            fields: [
              { field: 'name', from: 'Old', to: 'New' },
              { field: 'tags', from: [], to: [{ tag_type: 'rfid', value: 'E1' }] },
            ],
          },
        ],
        unchanged: [{ line: 3, external_key: 'SAME', name: 'Same', fields: [] }],
      },
      ...{ faults: [], faults_left_out: 0 },
    });
    expect(await names()).to.deep.equal(['OLD Old', 'SAME Same']);
    const locks = await suite.database.rows(
      `select from ${LOCKS_HERE} lock join pg_stat_activity using (pid)
       where relation in ('assets'::regclass, 'tags'::regclass, 'imports'::regclass)
         and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    expect(locks).to.deep.equal([]);

    const applied = (await work(body.data.id, 'apply')).body.data;
    expect(applied.state).to.equal('applied');
    expect(applied.outcome.counts).to.include({ created: 2, updated: 1 });
    expect(applied.outcome.shown.created[1].external_key).to.match(/^ASSET-/);
    expect(await names()).to.include.members(['NEW Crate', 'OLD New']);
    const log = (await call({ path: '/changes?limit=3' })).body.data;
    expect(log.map(({ actor }: { actor: { type: string } }) => actor.type)).to.deep.equal([
      'user',
      'user',
      'user',
    ]);
    expect((await work(body.data.id, 'apply')).status).to.equal(409);
    expect(await suite.database.rows('select from import_parts')).to.deep.equal([]);
  });

  it('say of every fault where it is, what the cell has, and what is wrong with it', async () => {
    const { state, outcome } = await checked(
      'external_key,name,is_active\nF 1,One,\nF-2,,perhaps\nF-3,Three,true\n',
    );
    expect(state).to.equal('checked');
    expect(outcome.counts).to.deep.equal({ created: 1, updated: 0, unchanged: 0, faulty: 2 });
    expect(outcome.faults.map(({ message, ...fault }: { message: string }) => fault)).to.deep.equal([
      { line: 2, column: 'external_key', value: 'F 1', code: 'invalid_value' },
      { line: 3, column: 'is_active', value: 'perhaps', code: 'invalid_value' },
      { line: 3, column: 'name', value: '', code: 'required' },
    ]);
    expect(outcome.faults[1].message).to.equal('is_active must be true or false');
    const twice = await checked('external_key,name,tags\nF-6,Six,rfid:E6\nF-7,Seven,rfid:E6\n');
    expect(twice.outcome.faults[0].message).to.include('has the tag rfid:E6, which line 2 has too');
    const tagged = await checked('external_key,name,tags\nF-4,Four,rfid:E1\n');
    expect(tagged.outcome.counts).to.include({ created: 0, faulty: 1 });
    expect(tagged.outcome.faults[0]).to.include({ column: 'tags', value: 'rfid:E1' });
    expect((await work(tagged.id, 'apply')).status).to.equal(409);
    const columns = await checked('name,colour\nA,red\n');
    expect(columns.outcome.faults[0].message).to.match(
      /^unknown column "colour"; known columns: external_key/,
    );
    const accented = await checked('external_key,name,größe\nA,A,1\n');
    expect(accented.outcome.faults[0]).to.include({ column: 'größe', code: 'unknown_field' });
  });

  it('can be shown whatever a faulty cell holds', async () => {
    for (const value of [`${'n'.repeat(199)}\u{1f4e6}`.padEnd(300, 'n'), 'A\0B']) {
      const { body } = await upload(`external_key,name\nF-5,"${value}"\n`);
      const { status, body: shown } = await work(body.data.id, 'check');
      expect(status).to.equal(200);
      expect(shown.data.outcome.faults[0]).to.include({ line: 2, column: 'name' });
      expect((await call({ path: '/imports' })).status).to.equal(200);
    }
  });

  it('change nothing if the data has changed meanwhile, and show what they would change now', async () => {
    const first = await checked('external_key,name\nM-1,One\nM-2,Two\n');
    await call({ method: 'POST', path: '/assets', json: { external_key: 'M-2', name: 'Other' } });
    const refused = await work(first.id, 'apply');
    expect([refused.status, refused.body.error.type]).to.deep.equal([409, 'conflict']);
    expect(refused.body.error.detail).to.include('has changed meanwhile');
    expect(await names()).not.to.include('M-1 One');
    const { data } = (await call({ path: `/imports/${first.id}` })).body;
    expect(data.outcome.counts).to.include({ created: 1, updated: 1 });
    // What is no concern of the file does not keep it back.
    await call({ method: 'POST', path: '/assets', json: { external_key: 'M-3', name: 'Three' } });
    expect((await work(first.id, 'apply')).status).to.equal(200);
    expect(await names()).to.include.members(['M-1 One', 'M-2 Two']);
  });

  it('take places too, whose parents may be further down', async () => {
    const { id, outcome } = await checked(
      'external_key,name,parent_external_key\nS,Shelf,H\nH,Hall,\n',
      'location',
    );
    expect(outcome.counts).to.include({ created: 2, faulty: 0 });
    expect(outcome.shown.created[0].fields).to.deep.include({
      field: 'parent_external_key',
      from: null,
      to: 'H',
    });
    await work(id, 'apply');
    const { body } = await call({ path: '/locations?parent_external_key=H' });
    expect(body.data[0]).to.include({ external_key: 'S' });
  });

  it('can be left and come back to, whoever works on them, and are taken up again if that process is gone', async () => {
    const { id } = (await upload('name\nLater\n')).body.data;
    const note = (secondsAgo: number) =>
      suite.database.rows(
        `insert into import_work (org_id, import_id, kind, seen_at, done_rows)
         values ($1, $2, 'checking', now() - $3 * interval '1 second', 250)
         on conflict (org_id, import_id) do update set seen_at = excluded.seen_at`,
        [suite.orgId, id, secondsAgo],
      );
    await note(0);
    expect((await call({ path: `/imports/${id}` })).body.data).to.include({
      state: 'checking',
      done_rows: 250,
    });
    expect((await work(id, 'check')).status).to.equal(409);
    expect((await call({ method: 'DELETE', path: `/imports/${id}` })).status).to.equal(409);
    await note(60);
    expect((await call({ path: `/imports/${id}` })).body.data).to.include({ state: 'uploaded' });
    expect((await work(id, 'check')).body.data.state).to.equal('checked');
    const { data } = (await call({ path: '/imports' })).body;
    expect(data[0]).to.include({ id, state: 'checked' });
    expect((await call({ method: 'DELETE', path: `/imports/${id}` })).status).to.equal(204);
    expect((await call({ path: `/imports/${id}` })).status).to.equal(404);
  });

  it('go on if who asked for them hangs up', async () => {
    const { id } = (await upload(`name\n${'Left\n'.repeat(3_000)}`)).body.data;
    const left = new AbortController();
    const asked = fetch(`${suite.url}/console/v1/imports/${id}/check`, {
      method: 'POST',
      headers: { Cookie: `tagtrail_session=${suite.token}`, Origin: suite.url, 'X-Tagtrail-Console': '1' },
      signal: left.signal,
    }).catch(() => null);
    let state = 'uploaded';
    while (state === 'uploaded') {
      state = (await call({ path: `/imports/${id}` })).body.data.state;
    }
    left.abort();
    expect(await asked).to.equal(null);
    while (state !== 'checked') {
      state = (await call({ path: `/imports/${id}` })).body.data.state;
      expect(state).to.be.oneOf(['checking', 'checked']);
    }
  });

  it('keep few files, and none that is too large', async () => {
    const orgId = await suite.people.organization('Many');
    const token = await suite.as('operator', orgId);
    for (let count = 0; count < 7; count++) {
      expect((await upload('name\nA\n', { token })).status).to.equal(201);
    }
    expect((await call({ path: '/imports', token })).body.data).to.have.length(5);
    expect((await upload('x'.repeat(10_485_761), { token })).status).to.equal(413);
    expect((await upload('a', { token, resource: 'reader' })).status).to.equal(400);
  });
});
