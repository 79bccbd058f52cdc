import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { useApi } from '../../support/api.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';
import { startWorker, type TestWorker } from '../../support/worker.ts';

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const DOCK = 'urn:epc:id:sgln:0614141.07346.1234';
const BAY = 'urn:epc:id:sgln:0012345.11111.400';

const epc = (serial: number | string) => `urn:epc:id:sgtin:0614141.107346.${serial}`;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const seen = (epcList: string[], more: object = {}): Record<string, unknown> => ({
  ...{ type: 'ObjectEvent', eventTime: minutesAgo(10), eventTimeZoneOffset: '+00:00', action: 'OBSERVE' },
  ...{ epcList, readPoint: { id: DOCK }, ...more },
});
const documentOf = (eventList: object[]) => ({
  ...{ '@context': [CONTEXT], type: 'EPCISDocument', schemaVersion: '2.0' },
  ...{ creationDate: minutesAgo(0), epcisBody: { eventList } },
});

interface Job {
  captureID: string;
  running: boolean;
  success: boolean;
  captureErrorBehaviour: string;
  finishedAt?: string;
  errors: { type: string; status: number; detail: string; instance?: string }[];
  reads?: Record<string, number>;
}

describe('captures of EPCIS events', () => {
  const api = useApi();
  let worker: TestWorker;
  let site: Site;
  const first = seen([epc(1)]);
  const rows = <Row extends object>(sql: string, values: unknown[] = []) =>
    api.database.rows<Row>(sql, values);

  const send = async (path: string, json: unknown, headers: Record<string, string> = {}, key = api.key) => {
    const response = await fetch(`${api.url}/epcis/v2${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/ld+json', ...headers },
      body: typeof json === 'string' ? json : JSON.stringify(json),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
  const get = async (path: string, key = api.key) => {
    const response = await fetch(api.url + path, { headers: { Authorization: `Bearer ${key}` } });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const locationOf = ({ headers }: { headers: Headers }) => headers.get('Location') ?? '';
  const jobAt = async (path: string, key = api.key): Promise<Job> => (await get(path, key)).body;
  const finished = async (path: string, key = api.key): Promise<Job> => {
    await until(async () => !(await jobAt(path, key)).running);
    return jobAt(path, key);
  };
  const captured = async (eventList: object[], headers: Record<string, string> = {}): Promise<Job> => {
    const sent = await send('/capture', documentOf(eventList), headers);
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202);
    return finished(locationOf(sent));
  };
  const historyOf = (asset: number) =>
    rows<{ external_key: string }>(
      `select location.external_key from location_transitions transition
       join locations location on location.org_id = transition.org_id and location.id = transition.location_id
       where transition.org_id = $1 and asset_id = $2 order by observed_at`,
      [api.orgId, asset],
    );
  const scans = async () => (await rows('select * from scan_events')).length;
  const readerId = async () =>
    (
      await rows<{ id: number }>(`select id from readers where org_id = $1 and format = 'epcis'`, [api.orgId])
    )[0]?.id;

  before(async () => {
    worker = await startWorker(api.database, { LATENESS_DAYS: 30 });
    site = Site.of(api.database, api.orgId);
  });

  it('come from a reader of their own, which the first one makes; its unmapped read points are shown', async () => {
    await site.asset('FIRST', epc(1));
    const job = await captured([first]);
    expect(job).to.deep.include({ running: false, success: true, errors: [] });
    expect(job.captureErrorBehaviour).to.equal('rollback');
    expect(job.reads).to.deep.equal({ recorded: 0, duplicates: 0, unknown: 0, unplaced: 1 });
    expect(await rows('select name, topic, format from readers')).to.deep.equal([
      { name: 'EPCIS', topic: `org-${api.orgId}/epcis`, format: 'epcis' },
    ]);
    expect(await rows('select name, reads::integer from unplaced_antennas')).to.deep.equal([
      { name: DOCK, reads: 1 },
    ]);
    const made = await rows(`select actor_type from changes where resource_type = 'reader'`);
    expect(made).to.deep.equal([{ actor_type: 'key' }]);
  });

  it('are scans at the location of the read point, once it is mapped', async () => {
    const dock = await site.location('DOCK');
    const bay = await site.location('BAY');
    for (const [index, [name, location]] of (
      [
        [DOCK, dock],
        [BAY, bay],
      ] as const
    ).entries()) {
      await rows(
        `insert into antennas (org_id, reader_id, port, name, location_id) values ($1, $2, $3, $4, $5)`,
        [...[api.orgId, await readerId(), -1 - index, name, location]],
      );
    }
    const [asset, pallet] = [
      await site.asset('ITEM', epc(2)),
      await site.asset('PALLET', 'urn:epc:id:sscc:0614141.1234567890'),
    ];
    const job = await captured([
      seen([epc(2)], { eventTime: minutesAgo(9), bizStep: 'receiving', 'example:myField': 'kept by nobody' }),
      {
        ...{
          type: 'AggregationEvent',
          eventTime: minutesAgo(8),
          eventTimeZoneOffset: '+02:00',
          action: 'ADD',
        },
        ...{
          parentID: 'https://id.gs1.org/00/106141412345678908',
          childEPCs: [epc(2)],
          readPoint: { id: BAY },
        },
      },
      seen([epc(2)], { action: 'DELETE', eventTime: minutesAgo(7) }),
    ]);
    expect(job).to.deep.include({
      success: true,
      reads: { recorded: 3, duplicates: 0, unknown: 0, unplaced: 0 },
    });
    expect(await historyOf(asset)).to.deep.equal([{ external_key: 'DOCK' }, { external_key: 'BAY' }]);
    expect(await historyOf(pallet)).to.deep.equal([{ external_key: 'BAY' }]);
    expect((await captured([first])).reads).to.deep.include({ recorded: 1, unplaced: 0 });
    const counted = await rows(
      'select last_message_at is not null as is_counted, heard_until from reader_counters',
    );
    expect(counted).to.deep.equal([{ is_counted: true, heard_until: null }]);
    expect(await rows('select * from reader_proofs')).to.deep.equal([]);
  });

  it('store an event once, by its id and without one, also sent twice at once', async () => {
    const asset = await site.asset('ONCE', epc(3));
    const [named, unnamed] = [
      seen([epc(3)], { eventID: 'urn:uuid:831c0292-4de1-430a-8255-2aca821abaab' }),
      seen([epc(3)], { eventTime: minutesAgo(6) }),
    ];
    const before = await scans();
    const jobs = await Promise.all([captured([named, unnamed, named]), captured([unnamed, named])]);
    expect(jobs.map(({ success }) => success)).to.deep.equal([true, true]);
    expect(await captured([Object.fromEntries(Object.entries(unnamed).reverse())])).to.deep.include({
      success: true,
    });
    expect(await scans()).to.equal(before + 2);
    expect(await historyOf(asset)).to.deep.equal([{ external_key: 'DOCK' }]);
    const other = await captured([{ ...named, eventTime: minutesAgo(5) }]);
    expect(other.errors[0]).to.include({ status: 409, instance: named['eventID'] });
    expect(other.errors[0]?.type).to.equal('epcisException:ResourceAlreadyExistsException');
  });

  it('store nothing if an event is refused, unless they are to proceed', async () => {
    await site.asset('PARTLY', epc(4));
    const events = [
      seen([epc(4)]),
      { ...seen([epc(4)]), type: 'TransformationEvent' },
      seen([epc(4)], { errorDeclaration: { declarationTime: minutesAgo(1) } }),
      seen([epc(4)], { eventTime: minutesAgo(60 * 24 * 31) }),
      seen([epc(4)], { eventTime: minutesAgo(-10) }),
      seen(['4711']),
      seen([epc(4)], { eventTime: '2026-06-04T16:50:22' }),
      seen([epc(4)], { action: 'SEEN' }),
      seen([epc(4)], { readPoint: { id: `https://example.com/${'a'.repeat(60)}` } }),
      { ...seen([]), epcList: undefined },
      seen([epc(4)], { action: ['DELETE'] }),
    ];
    const before = await scans();
    const rolledBack = await captured(events);
    expect(rolledBack).to.include({ running: false, success: false });
    expect(rolledBack.errors.map(({ detail }) => detail)).to.deep.equal([
      'eventList[1]: TransformationEvents are not captured: only ObjectEvents and AggregationEvents say what was seen where',
      'eventList[2]: error declarations are not captured: take scans back in tagtrail instead',
      'eventList[3]: too late: observed 31 days before it was received, the bound is 30 days',
      'eventList[4]: eventTime lies in the future, or before 2015',
      'eventList[5]: EPC "4711" is no URI',
      'eventList[6]: eventTime must be a time with its offset, such as 2026-06-04T16:50:22.281+02:00',
      'eventList[7]: action must be one of: ADD, OBSERVE, DELETE',
      'eventList[8]: readPoint.id must be a URI of at most 64 characters',
      'eventList[9]: epcList or quantityList is required',
      'eventList[10]: action must be one of: ADD, OBSERVE, DELETE',
    ]);
    expect(await scans()).to.equal(before);
    const proceeded = await captured(events, { 'GS1-Capture-Error-Behaviour': 'proceed' });
    expect(proceeded).to.deep.include({
      success: false,
      captureErrorBehaviour: 'proceed',
      errors: rolledBack.errors,
    });
    expect(proceeded.reads).to.deep.include({ recorded: 1 });
    expect(await scans()).to.equal(before + 1);
  });

  it('are recorded one at a time and at once, or refused with the reason', async () => {
    await site.asset('ALONE', epc(5));
    const event = seen([epc(5)]);
    const one = await send('/events', event);
    expect(one.status).to.equal(201);
    expect(one.body).to.deep.include(event);
    expect(one.body.eventID).to.match(/^ni:\/\/\/sha-256;/);
    expect(await jobAt(locationOf(one))).to.deep.include({ running: false, success: true });
    expect((await send('/events', event)).status).to.equal(201);
    const other = { ...event, eventID: one.body.eventID, eventTime: minutesAgo(4) };
    expect(await send('/events', other)).to.deep.include({ status: 409 });
    const refused = await send('/events', { ...event, type: 'TransactionEvent' });
    expect(refused).to.deep.include({ status: 400 });
    expect(refused.body.detail).to.include('TransactionEvents are not captured');
    expect(refused.headers.get('Content-Type')).to.equal('application/problem+json');
  });

  it('wait while nobody can record them, and are recorded once when one was broken off', async () => {
    await site.asset('BROKEN-OFF', epc(6));
    const before = await scans();
    const blocked = await api.database.pool.connect();
    await blocked.query('begin; lock table epcis_events in access exclusive mode');
    const location = locationOf(await send('/capture', documentOf([seen([epc(6)])])));
    const waiting = `from pg_stat_activity where application_name = 'tagtrail captures' and wait_event_type = 'Lock'`;
    await until(async () => (await rows(`select ${waiting}`)).length > 0);
    expect(await jobAt(location)).to.deep.include({ running: true, success: true, errors: [] });
    await rows(`select pg_terminate_backend(pid) ${waiting}`);
    await blocked.query('commit');
    blocked.release();
    expect(await finished(location)).to.deep.include({ success: true });
    expect(await scans()).to.equal(before + 1);
    await worker.stop();
    const alone = seen([epc(6)], { eventTime: minutesAgo(3) });
    const later = locationOf(await send('/capture', documentOf([alone])));
    expect(await jobAt(later)).to.include({ running: true });
    worker = await startWorker(api.database, { LATENESS_DAYS: 30 });
    expect(await finished(later)).to.deep.include({ success: true });
    expect(await scans()).to.equal(before + 2);
  });

  it('wait while their organization moves to another cell, and none is accepted then', async () => {
    await worker.stop();
    const [moving, other] = [await api.organization('Moving'), await api.organization('Staying')];
    const waiting = locationOf(await send('/capture', documentOf([]), {}, moving.key));
    const hold = (at: string) =>
      rows(`update organizations set deleted_at = ${at}, held_at = ${at} where id = $1`, [moving.orgId]);
    await hold('now()');
    worker = await startWorker(api.database, { LATENESS_DAYS: 30 });
    await finished(locationOf(await send('/capture', documentOf([]), {}, other.key)), other.key);
    const insert = `insert into epcis_captures (org_id, id, api_key_id, proceeds) values ($1, 'A', 'A', false)`;
    const refusal = await rows(insert, [moving.orgId]).catch((error: Error) => error.message);
    expect(refusal).to.equal('the organization moves to another cell');
    const unfinished = await rows('select org_id from epcis_captures where finished_at is null');
    expect(unfinished).to.deep.equal([{ org_id: moving.orgId }]);
    await hold('null');
    await send('/capture', documentOf([]), {}, other.key);
    await until(async () => (await get(waiting, moving.key)).body.running === false);
  });

  it('are listed in pages, the newest first, to keys of their organization that may capture', async () => {
    const [first, second] = [
      (await get('/epcis/v2/capture?perPage=2')).body,
      await get('/epcis/v2/capture?perPage=1'),
    ];
    expect(second.body).to.deep.equal(first.slice(0, 1));
    const next =
      /^<(\/epcis\/v2\/capture\?\S+)>; rel="next"$/.exec(second.headers.get('Link') ?? '')?.[1] ?? '';
    expect((await get(next)).body).to.deep.equal(first.slice(1));
    const other = await api.organization('Other');
    expect((await get('/epcis/v2/capture', other.key)).body).to.deep.equal([]);
    expect((await get(`/epcis/v2/capture/${first[0].captureID}`, other.key)).status).to.equal(404);
    const reading = await api.keyWith(['tracking:read']);
    expect((await send('/capture', documentOf([]), {}, reading)).status).to.equal(403);
    const elsewhere = await send('/events', seen([epc(1)]), {}, other.key);
    expect(elsewhere.status).to.equal(201);
    expect((await jobAt(locationOf(elsewhere), other.key)).reads).to.deep.include({
      unknown: 1,
      recorded: 0,
    });
  });

  it('have bounds, of which OPTIONS and refusals tell', async () => {
    const limits = { 'GS1-EPCIS-Capture-Limit': '1000', 'GS1-EPCIS-Capture-File-Size-Limit': '1048576' };
    const discovered = await fetch(`${api.url}/epcis/v2/capture`, { method: 'OPTIONS' });
    expect(discovered.headers.get('Allow')).to.equal('OPTIONS, GET, HEAD, POST');
    expect(discovered.headers.get('GS1-Capture-Error-Behaviour')).to.equal('rollback');
    const many = documentOf(Array.from({ length: 1_001 }, () => ({})));
    const epcs = documentOf([seen(Array.from({ length: 10_001 }, (_, at) => epc(at)))]);
    for (const json of [many, epcs, documentOf([seen([`urn:x:${'a'.repeat(1_048_576)}`])])]) {
      const { status, headers, body } = await send('/capture', json);
      expect(status).to.equal(413);
      expect(body.type).to.equal('epcisException:CaptureLimitExceededException');
      for (const [name, value] of Object.entries(limits)) {
        expect(headers.get(name)).to.equal(value);
        expect(discovered.headers.get(name)).to.equal(value);
      }
    }
    for (const [json, headers, status] of [
      ['{', {}, 400],
      [{ type: 'EPCISDocument' }, {}, 400],
      [{ ...documentOf([]), epcisBody: {} }, {}, 400],
      [documentOf([]), { 'GS1-Capture-Error-Behaviour': 'ignore' }, 400],
      [documentOf([]), { 'Content-Type': 'application/xml' }, 415],
    ] as const) {
      expect((await send('/capture', json, headers)).status, JSON.stringify(json)).to.equal(status);
    }
    await worker.stop();
    const sent = await Promise.all(Array.from({ length: 50 }, () => send('/capture', documentOf([]))));
    expect(sent.map(({ status }) => status)).to.deep.equal(Array(50).fill(202));
    const refused = await send('/capture', documentOf([]));
    expect([refused.status, refused.headers.get('Retry-After')]).to.deep.equal([429, '5']);
    worker = await startWorker(api.database, { LATENESS_DAYS: 36_500 });
    await until(
      async () => (await rows('select from epcis_captures where finished_at is null')).length === 0,
    );
  });

  const { documents } = JSON.parse(
    readFileSync(new URL('../../fixtures/epcis/gs1-examples.json', import.meta.url), 'utf8'),
  );
  for (const [name, document] of Object.entries<{ epcisBody: { eventList: object[] } }>(documents)) {
    it(`take the example of GS1 ${name} as the standard means it`, async () => {
      const { eventList } = document.epcisBody;
      const events = eventList.map((event, index) => ({ ...event, eventTime: minutesAgo(20 - index) }));
      const isCaptured = (event: object) =>
        'type' in event &&
        ['ObjectEvent', 'AggregationEvent'].includes(String(event.type)) &&
        !('errorDeclaration' in event);
      const job = await captured(events, { 'GS1-Capture-Error-Behaviour': 'proceed' });
      const refused = job.errors.map(({ instance }) => instance);
      const expected = events.filter((event) => !isCaptured(event)).map((event) => Object(event).eventID);
      expect(refused).to.have.length(expected.length);
      expect(refused).to.include.members(expected.filter((id) => id !== undefined));
    });
  }
});
