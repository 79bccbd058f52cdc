import { expect } from 'chai';
import { useConsole } from '../support/console.ts';
import { Site } from '../support/site.ts';

describe('rejected messages in the console', () => {
  const suite = useConsole();
  const { call } = suite;
  const post = (path: string, json: object, token = suite.token) =>
    call({ method: 'POST', path, json, token });
  const ids = async (query = ''): Promise<number[]> =>
    (await call({ path: `/rejected${query}` })).body.data.map(({ id }: { id: number }) => id);
  let reader: number;
  let other: Site;

  async function keep(
    payloads: readonly (string | Buffer)[],
    { orgId = suite.orgId, readerId = reader, topic = 'gate', bytes = null as number | null } = {},
  ): Promise<number[]> {
    const rows = await suite.database.rows<{ id: number }>(
      `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, bytes, payload, payload_sha256, is_whole)
       select $1, $2, $3, 'payload is no JSON', now(), coalesce($5, octet_length(given)), given, sha256(given), true
       from unnest($4::bytea[]) as given returning id`,
      [orgId, readerId, topic, payloads.map((payload) => Buffer.from(payload)), bytes],
    );
    return rows.map(({ id }) => id);
  }

  before(async () => {
    const site = Site.of(suite.database, suite.orgId);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E280');
    // As one registers it who mistakes the make.
    reader = await site.reader('Gate', [dock], { topic: 'gate', format: 'minew-json' });
    other = await Site.create(suite.database, 'Other');
  });
  beforeEach(() => suite.database.empty('rejected_messages, changes'));

  const GOOD = '[{"value":"E280"},{"value":"FEED"}]';

  it('are those of the own organization only, with what they hold', async () => {
    const [first, second] = await keep(['{"a"', Buffer.from('ff00ff00', 'hex')]);
    const otherReader = await other.reader('other', [null]);
    const [others] = await keep([GOOD], { orgId: other.orgId, readerId: otherReader, topic: 'other' });
    expect(await ids()).to.deep.equal([second, first]);
    expect(await ids(`?after_id=${first}`)).to.deep.equal([second]);
    expect(await ids('?q=GATE')).to.deep.equal([second, first]);
    expect(await ids('?q=none')).to.deep.equal([]);
    expect((await call({ path: `/rejected/${first}` })).body.data).to.deep.include({
      ...{
        topic: 'gate',
        reason: 'payload is no JSON',
        size: 4,
        size_kept: 4,
        is_text: true,
        payload: '{"a"',
      },
      ...{ reader: { id: reader, name: 'Gate' }, reader_format: 'minew-json' },
    });
    expect((await call({ path: `/rejected/${second}` })).body.data).to.include({
      ...{ is_text: false, payload: '/wD/AA==' },
    });
    for (const path of [`/rejected/${others}`, `/rejected/${others}/formats`]) {
      expect((await call({ path })).status).to.equal(404);
    }
    for (const [path, json] of [
      [`/rejected/${others}/dismiss`, {}],
      [`/rejected/${others}/replay`, {}],
    ] as const) {
      expect((await post(path, json)).status).to.equal(404);
    }
    expect((await post('/rejected/replay', { ids: [others], format: 'tagtrail' })).body.data).to.deep.equal({
      ...{ replayed: 0, rejected: 0, cut: 0, next: null },
      ...{ recorded: 0, duplicates: 0, unknown: 0, unplaced: 0 },
    });
    expect((await post('/rejected/dismiss', { ids: [others] })).body.data.ids).to.deep.equal([]);
  });

  it('are tried by every format, and by one, without a trace', async () => {
    const [id] = await keep([GOOD]);
    const { data } = (await call({ path: `/rejected/${id}/formats` })).body;
    expect(data[0]).to.deep.equal({
      ...{ format: 'tagtrail', outcome: 'items', scans: 2, ignored: 0, rejected: 0, reason: null },
    });
    const wrong = data.find(({ format }: { format: string }) => format === 'minew-json');
    expect(wrong).to.include({ scans: 0 });
    expect(wrong.reason).to.be.a('string');
    const one = (await call({ path: `/rejected/${id}/formats/tagtrail` })).body.data;
    expect(one.reads.map(({ value }: { value: string }) => value)).to.deep.equal(['E280', 'FEED']);
    expect(one.reads[0]).to.include({ tag_type: 'rfid', antenna_port: 1, rssi: null, observed_at: null });
    const unknown = await call({ path: `/rejected/${id}/formats/none-such` });
    expect([unknown.status, unknown.body.error.fields[0].field]).to.deep.equal([400, 'format']);
    expect(await suite.database.rows('select from scan_events')).to.deep.equal([]);
    expect(await ids()).to.deep.equal([id]);
  });

  it('are replayed by another format: recorded, told to the feed, and logged with who did it', async () => {
    const [id] = await keep([GOOD]);
    expect((await post(`/rejected/${id}/replay`, {})).body.data).to.include({ outcome: 'rejected' });
    expect(await ids()).to.deep.equal([id]);
    const answer = await post(`/rejected/${id}/replay`, { format: 'tagtrail' });
    expect(answer.body.data).to.deep.equal({
      ...{ outcome: 'replayed', reason: null },
      ...{ recorded: 1, duplicates: 0, unknown: 1, unplaced: 0 },
    });
    expect([await ids(), await ids('?state=replayed')]).to.deep.equal([[], [id]]);
    expect(await suite.database.rows('select tag_value from scan_events')).to.deep.equal([
      { tag_value: 'E280' },
    ]);
    expect(await suite.database.rows('select org_id, kind from unsealed_moves')).to.deep.equal([
      { org_id: suite.orgId, kind: 'moved' },
    ]);
    const [log] = await suite.database.rows(
      `select actor_type, action, after->>'format' as format from changes where resource_type = 'rejected_message' order by id desc limit 1`,
    );
    expect(log).to.deep.equal({ actor_type: 'user', action: 'replay', format: 'tagtrail' });
    expect((await post(`/rejected/${id}/replay`, { format: 'x' })).body.error.fields[0].field).to.equal(
      'format',
    );
  });

  it('tell how many reads were recorded and how many were at no location, one and many', async () => {
    const messages = [
      '[{"value":"E280"},{"value":"E280","antenna":2}]',
      '[{"value":"E280","antenna":2},{"value":7}]',
      '[{"value":"E280","antenna":3}]',
    ];
    const [first] = await keep(messages);
    const one = await post(`/rejected/${first}/replay`, { format: 'tagtrail' });
    expect(one.body.data).to.include({ outcome: 'replayed', recorded: 1, unplaced: 1 });
    const { data } = (await post('/rejected/replay', { all: true, format: 'tagtrail' })).body;
    expect(data).to.deep.equal({
      ...{ replayed: 1, rejected: 1, cut: 0, next: null },
      ...{ recorded: 0, duplicates: 0, unknown: 0, unplaced: 2 },
    });
  });

  it('are replayed many at once, in parts, each after the last', async () => {
    await keep(Array.from({ length: 60 }, (_, index) => `[{"value":"E2${index}"}]`));
    const bad = await keep(['{']);
    const parts: Record<string, number>[] = [];
    for (let after = 0; ; ) {
      const { data } = (
        await post('/rejected/replay', { all: true, reader_id: reader, format: 'tagtrail', after })
      ).body;
      parts.push(data);
      if (data.next === null) {
        break;
      }
      after = data.next;
    }
    expect(parts.length).to.be.above(1);
    const sum = (name: string) => parts.reduce((total, part) => total + (part[name] ?? 0), 0);
    expect([sum('replayed'), sum('rejected'), sum('cut')]).to.deep.equal([60, 1, 0]);
    expect(await ids()).to.deep.equal(bad);
    for (const [which, field] of [
      [{}, 'ids'],
      [{ all: false }, 'ids'],
      [{ all: true, ids: [1] }, 'all'],
    ] as const) {
      const refused = await post('/rejected/replay', which);
      expect([refused.status, refused.body.error.fields[0].field]).to.deep.equal([400, field]);
    }
  });

  it('are near misses too, which are listed and dismissed apart from those that were rejected', async () => {
    const [rejected] = await keep(['{']);
    const [missed] = await keep([GOOD]);
    await suite.database.rows(`update rejected_messages set kind = 'near_miss' where id = $1`, [missed]);
    expect(await ids()).to.deep.equal([missed, rejected]);
    expect(await ids('?kind=near_miss')).to.deep.equal([missed]);
    expect((await call({ path: `/rejected/${missed}` })).body.data.kind).to.equal('near_miss');
    await post('/rejected/dismiss', { all: true, kind: 'near_miss' });
    expect(await ids()).to.deep.equal([rejected]);
  });

  it('of which only the beginning was kept are neither tried nor replayed', async () => {
    const [id] = await keep([GOOD], { bytes: 100_000 });
    expect((await post(`/rejected/${id}/replay`, { format: 'tagtrail' })).status).to.equal(409);
    expect((await call({ path: `/rejected/${id}/formats` })).status).to.equal(409);
    expect((await post('/rejected/replay', { ids: [id] })).body.data).to.include({ cut: 1, replayed: 0 });
    expect(await ids()).to.deep.equal([id]);
  });

  it('are dismissed many at once, and wanted back', async () => {
    const all = await keep(['1', '2', '3']);
    const [first = 0] = all;
    expect((await post('/rejected/dismiss', { ids: [first] })).body.data).to.deep.equal({
      ids: [first],
      next: null,
    });
    const rest = (await post('/rejected/dismiss', { all: true })).body.data;
    expect(rest.ids.toSorted()).to.deep.equal(all.slice(1));
    expect(await ids('?state=dismissed')).to.have.members(all);
    await post('/rejected/dismiss', { ids: rest.ids, undo: true });
    expect([(await ids()).length, await ids('?state=dismissed')]).to.deep.equal([2, [first]]);
    const log = await suite.database.rows(
      `select action, count(*)::integer from changes where resource_type = 'rejected_message' group by action order by 1`,
    );
    expect(log).to.deep.equal([
      { action: 'dismiss', count: 3 },
      { action: 'restore', count: 2 },
    ]);
  });

  it('are looked at by viewers, and replayed by operators', async () => {
    const [id] = await keep([GOOD]);
    const viewer = await suite.as('viewer');
    const operator = await suite.as('operator');
    expect((await call({ path: `/rejected/${id}/formats/tagtrail`, token: viewer })).status).to.equal(200);
    expect((await post(`/rejected/${id}/replay`, {}, viewer)).status).to.equal(403);
    expect((await post(`/rejected/${id}/replay`, { format: 'tagtrail' }, operator)).status).to.equal(200);
  });
});
