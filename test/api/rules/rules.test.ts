import { expect } from 'chai';
import { expectIssues, useApi } from '../../support/api.ts';
import { Site } from '../../support/site.ts';

describe('/rules', () => {
  const api = useApi();
  let key: string;
  let reader: number;
  before(async () => {
    const site = await Site.create(api.database);
    await site.location('HALL', await site.location('SITE'));
    await site.asset('PUMP');
    reader = await site.reader('Dock', []);
    await api.database.rows(
      `with account as (insert into users (email, name) values ('anna@example.com', 'Anna') returning id)
       insert into memberships (user_id, org_id, role) select id, $1, 'viewer' from account`,
      [site.orgId],
    );
    key = await api.keyWith(['rules:admin'], { orgId: site.orgId });
  });

  const call = (method: string, path = '', json?: unknown) =>
    api.call({ method, path: `/api/v1/rules${path}`, key, ...(json === undefined ? {} : { json }) });

  it('creates one, shows it, changes it from a time on, and ends it', async () => {
    const given = {
      ...{ kind: 'must_be', name: 'Pumps', after_seconds: 600, location_external_key: 'HALL' },
      ...{ hours: 'Mon-Fri 07:00-18:00', time_zone: 'europe/berlin', asset_external_keys: ['PUMP'] },
      ...{ within_location_external_key: 'SITE', metadata: [{ path: ['owner'], value: 'ACME' }] },
      mail_to: ['Anna@example.com'],
    };
    const made = await call('POST', '', given);
    expect(made.status, made.text).to.equal(201);
    const { id, created_at: createdAt, valid_from: validFrom, ...shown } = made.body?.data ?? {};
    const settings = {
      ...{ ...given, then_seconds: null, reader_ids: null, time_zone: 'Europe/Berlin' },
      ...{ reading: null, above: null, below: null, hysteresis: null },
      ...{
        mail_to: ['anna@example.com'],
        mail_count: 1,
        asset_count: 1,
        ends_at: null,
        location_deleted_at: null,
        version: 1,
      },
    };
    expect(shown).to.deep.equal(settings);
    expect(made.headers.get('location')).to.equal(`/api/v1/rules/${id}`);
    const read = { ...settings, id, created_at: createdAt, valid_from: validFrom };
    expect((await call('GET', `/${id}`)).body?.data).to.deep.equal(read);
    const { asset_external_keys: _, ...listed } = read;
    expect((await call('GET')).body).to.deep.include({ data: [listed], total_count: 1 });

    const from = new Date(Date.now() - 86_400_000).toISOString();
    expectIssues(await call('PATCH', `/${id}`, { asset_external_keys: [] }), [
      ['asset_external_keys', 'too_short'],
    ]);
    const patch = { after_seconds: null, asset_external_keys: null, hours: null, valid_from: from };
    const patched = await call('PATCH', `/${id}`, patch);
    expect(patched.body?.data).to.deep.equal({
      ...{ ...read, ...patch, time_zone: null, asset_count: null, version: 2 },
    });
    expect((await call('PATCH', `/${id}`, { name: 'Late', version: 1 })).body?.error).to.include({
      type: 'conflict',
    });
    expect((await call('GET', `/${id}`)).body?.data).to.include({ name: 'Pumps', version: 2 });
    const current = await call('PATCH', `/${id}`, { name: 'In time', version: 2 });
    expect(current.body?.data).to.include({ name: 'In time', version: 3 });
    const end = new Date(Date.now() + 86_400_000).toISOString();
    expect((await call('PATCH', `/${id}`, { ends_at: end })).body?.data).to.include({ ends_at: end });
    expect((await call('PATCH', `/${id}`, { ends_at: null })).body?.data).to.include({ ends_at: null });
    expect((await call('DELETE', `/${id}`)).status).to.equal(204);
    expect((await call('GET', `/${id}`)).status).to.equal(404);
    expect((await call('GET')).body).to.deep.include({ data: [], total_count: 0 });
  });

  it('adds assets to the list of a rule and loses none that others add at once', async () => {
    const keys = Array.from({ length: 8 }, (_, n) => `BOX-${n}`);
    await api.database.rows(
      `insert into assets (org_id, external_key, name)
       select asset.org_id, key, key from assets asset, unnest($1::text[]) key where asset.external_key = 'PUMP'`,
      [keys],
    );
    const rule = { kind: 'overdue', after_seconds: 60 };
    const { body: made } = await call('POST', '', { ...rule, asset_external_keys: ['PUMP'] });
    const path = `/${made?.data.id}`;
    const add = (to: string, added: unknown) => call('PATCH', to, { added_asset_external_keys: added });
    const answers = await Promise.all(keys.map((each) => add(path, [each, 'PUMP'])));
    expect(answers.map(({ status }) => status)).to.deep.equal(keys.map(() => 200));
    expect((await call('GET', path)).body?.data.asset_external_keys).to.have.members(['PUMP', ...keys]);
    expectIssues(await add(path, ['BOX-1', 'NONE']), [['added_asset_external_keys', 'fk_not_found']]);
    expectIssues(await add(path, []), [['added_asset_external_keys', 'too_short']]);
    await api.database.rows(
      `with made as (
         insert into assets (org_id, external_key, name)
         select asset.org_id, 'MANY-' || n, 'Many' from assets asset, generate_series(1, 991) n
         where asset.external_key = 'PUMP' returning id)
       update rules set asset_ids = asset_ids || (select array_agg(id) from made)
       where id = $1 and version = (select max(version) from rules where id = $1)`,
      [made?.data.id],
    );
    expect((await add(path, ['MANY-1', keys[0]])).body?.data.asset_count).to.equal(1_000);
    await api.database.rows(
      `insert into assets (org_id, external_key, name)
       select org_id, 'LAST', 'Last' from assets where external_key = 'PUMP'`,
    );
    expectIssues(await add(path, ['LAST']), [['added_asset_external_keys', 'too_long']]);
    const { body: ofAll } = await call('POST', '', rule);
    expectIssues(await add(`/${ofAll?.data.id}`, ['PUMP']), [['added_asset_external_keys', 'invalid_value']]);
    await call('DELETE', path);
    await call('DELETE', `/${ofAll?.data.id}`);
  });

  it('says which alerts one would have raised, as it is and changed, and stores nothing', async () => {
    const arrived = new Date(Date.now() - 7_200_000).toISOString();
    const values = `from assets asset join locations location on location.org_id = asset.org_id
      where asset.external_key = 'PUMP' and location.external_key = 'HALL'`;
    await api.database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select asset.org_id, asset.id, location.id, $1::timestamptz, $1 ${values}`,
      [arrived],
    );
    await api.database.rows(
      `insert into location_transitions (org_id, asset_id, location_id, observed_at)
       select asset.org_id, asset.id, location.id, $1::timestamptz ${values}`,
      [arrived],
    );
    const alert = {
      ...{ asset_external_key: 'PUMP', reader_id: null, reader_name: null, location_external_key: 'HALL' },
      ...{ opened_at: arrived, is_older: false, closed_at: null, level: null, alarm_at: null },
    };
    const rule = { kind: 'not_allowed', location_external_key: 'SITE' };
    const { status, body } = await call('POST', '/try', { ...rule, since: null });
    expect(status).to.equal(200);
    const { since: _, until: __, longest, subjects: ___, alerts, ...counts } = body?.data ?? {};
    expect(longest).to.deep.include(alert);
    expect(alerts).to.deep.equal([longest]);
    expect(counts).to.deep.equal({
      ...{ looked_at: 1, looked_at_of: 1, is_complete: true },
      ...{ alert_count: 1, subject_count: 1, alerts_left_out: 0 },
    });
    const { body: made } = await call('POST', '', rule);
    const path = `/${made?.data.id}`;
    const tried = await call('POST', `${path}/try`, {});
    expect(tried.body?.data).to.include({ alert_count: 1 });
    const since = new Date(Date.now() - 32 * 86_400_000).toISOString();
    expectIssues(await call('POST', `${path}/try`, { since }), [['since', 'invalid_value']]);
    expectIssues(await call('POST', `${path}/try`, { asset_external_keys: [] }), [
      ['asset_external_keys', 'too_short'],
    ]);
    expectIssues(await call('POST', '/try', { kind: 'dwell', location_external_key: 'HALL' }), [
      ['after_seconds', 'required'],
    ]);
    expect((await call('GET', path)).body?.data).to.deep.equal(made?.data);
    await call('DELETE', path);
  });

  it('takes bounds of what tags measure, and shows the alert with the first value beyond', async () => {
    const given = {
      kind: 'reading',
      reading: 'temperature_c',
      above: 8,
      hysteresis: 0.25,
      after_seconds: 600,
    };
    const { body: made } = await call('POST', '', given);
    expect(made?.data).to.include({ ...given, below: null, name: 'temperature_c above 8' });
    const path = `/${made?.data.id}`;
    const below = { above: null, below: -18.5 };
    expect((await call('PATCH', path, below)).body?.data).to.include({ ...given, ...below });
    expectIssues(await call('PATCH', path, { below: -300 }), [['below', 'invalid_value']]);
    expectIssues(await call('POST', '', { kind: 'reading', reading: 'motion', above: 0 }), [
      ['reading', 'invalid_value'],
    ]);
    expectIssues(await call('POST', '', { kind: 'battery_low', reading: 'temperature_c', below: 0 }), [
      ['reading', 'invalid_value'],
    ]);
    expectIssues(await call('POST', '', { kind: 'overdue', after_seconds: 60, above: 0 }), [
      ['above', 'invalid_value'],
    ]);
    await call('DELETE', path);
  });

  it('finds none by an id that alerts are found by, but no rule has', async () => {
    expect((await call('GET', `/${'9'.repeat(26)}`)).status).to.equal(404);
    expectIssues(await call('GET', `/${'u'.repeat(26)}`), [['rule_id', 'invalid_value']]);
  });

  it('refuses what makes no sense, by its field, and creates nothing', async () => {
    const refused: [object, [string, string][]][] = [
      [{}, [['kind', 'required']]],
      [{ kind: 'overdue' }, [['after_seconds', 'required']]],
      [
        { kind: 'dwell', after_seconds: 60, then_seconds: 60, location_external_key: 'HALL' },
        [['then_seconds', 'invalid_value']],
      ],
      [
        { kind: 'not_allowed', location_external_key: 'NONE', asset_external_keys: ['NONE'] },
        [
          ['location_external_key', 'fk_not_found'],
          ['asset_external_keys', 'fk_not_found'],
        ],
      ],
      [{ kind: 'reader', reader_ids: [reader, reader + 1] }, [['reader_ids', 'fk_not_found']]],
      [{ kind: 'reader', mail_to: ['nobody@example.com'] }, [['mail_to', 'invalid_value']]],
      [{ kind: 'reader', valid_from: '2020-01-01T00:00:00Z' }, [['valid_from', 'invalid_value']]],
      [{ kind: 'reader', metadata: [{ path: [], value: 'x' }] }, [['metadata[0].path', 'too_short']]],
      [{ kind: 'reader', reader_ids: [] }, [['reader_ids', 'too_short']]],
      [
        { kind: 'overdue', after_seconds: 60, asset_external_keys: [] },
        [['asset_external_keys', 'too_short']],
      ],
    ];
    for (const [json, issues] of refused) {
      expectIssues(await call('POST', '', json), issues);
    }
    expect((await call('GET')).body).to.include({ total_count: 0 });
  });
});
