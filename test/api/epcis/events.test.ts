import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { append } from '../../../base/append.ts';
import { verbsOn } from '../../../db/timescale/queries/verbs.ts';
import type { ObjectEvent } from '../../../domain/epcis/event.ts';
import { filterOf } from '../../../domain/epcis/filter.ts';
import { readEvents } from '../../../domain/epcis/read-events.ts';
import { useApi } from '../../support/api.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { longestHold, Yardstick } from '../../support/held-loop.ts';
import { MeasuredClient } from '../../support/measured-client.ts';
import { aRead, record } from '../../support/recording.ts';
import { sealAll } from '../../support/seal-all.ts';
import { Site } from '../../support/site.ts';

const PUBLIC_URL = 'https://tracking.example.com';

/** GS1's own, as the standard names it. */
const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
const isDocument = ajv.compile(
  JSON.parse(readFileSync(new URL('../../fixtures/epcis/EPCIS-JSON-Schema.json', import.meta.url), 'utf8')),
);

/** An SGTIN-96, and what it names. */
const HEX = '3034257BF7194E4000001A85';
const LINK = 'https://id.gs1.org/01/80614141123458/21/6789';
const URN = 'urn:epc:id:sgtin:0614141.812345.6789';

/** What the documents and problems of these tests have. */
interface Body {
  type: string;
  member: string[];
  fields: { field: string }[];
  epcisBody: { queryResults: { resultsBody: { eventList: ObjectEvent[] } } };
}

describe('events of EPCIS', () => {
  const api = useApi({ PUBLIC_URL: `${PUBLIC_URL}/` });
  let site: Site;
  let key: string;
  let [dock, aisle, pallet, crate, gate] = [0, 0, 0, 0, 0];
  const START = Date.now() - 3_600_000;
  const minute = (count: number) => START + count * 60_000;
  const wire = (count: number) => new Date(minute(count)).toISOString();

  const ask = async (path: string, by = key) => {
    const response = await fetch(`${api.url}/epcis/v2${path}`, {
      headers: { Authorization: `Bearer ${by}` },
    });
    const body = (await response.json()) as Body;
    if (response.status === 200 && body.type === 'EPCISQueryDocument') {
      expect(isDocument(body), JSON.stringify(isDocument.errors)).to.equal(true);
    }
    return { status: response.status, headers: response.headers, body };
  };
  const eventsOf = async (query: string, by = key): Promise<ObjectEvent[]> => {
    const { status, body } = await ask(`/events${query}`, by);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.epcisBody.queryResults.resultsBody.eventList;
  };
  const times = (events: readonly ObjectEvent[]) => events.map(({ eventTime }) => eventTime);
  const read = async (value: string, antenna: number, at: number) => {
    const locationId = antenna === 1 ? dock : aisle;
    const scan = { orgId: site.orgId, readerId: gate, value, antenna, locationId };
    await record(api.database, [aRead({ ...scan, at: at * 1_000, receivedAt: Date.now() * 1_000 })]);
    await sealAll(api.database.url);
  };

  before(async () => {
    site = await Site.create(api.database, 'Shipper');
    key = await api.keyWith(['tracking:read'], { orgId: site.orgId });
    [dock, aisle] = [await site.location('DOCK'), await site.location('AISLE')];
    [pallet, crate] = [await site.asset('PALLET', HEX), await site.asset('CRATE', 'E2800018')];
    gate = await site.reader('gate', [dock, aisle]);
    await api.database.rows(
      `update locations set gln = '4012345000115.987', biz_step = 'receiving' where id = $1`,
      [dock],
    );
    await api.database.rows(`update locations set disposition = 'in_progress' where id = $1`, [dock]);
    for (const text of [
      'delete from location_versions where org_id = $1 and location_id = $2 and disposition is null',
      `update location_versions set since = since - interval '1 day' where org_id = $1 and $2 > 0`,
      `update tags set attached_at = attached_at - interval '1 day' where org_id = $1 and $2 > 0`,
    ]) {
      await api.database.rows(text, [site.orgId, dock]);
    }
    await read(HEX, 1, minute(0));
    await read('E2800018', 1, minute(1));
    await read(HEX, 2, minute(10));
  });

  it('are the beginnings of stays, by the names of asset and location', async () => {
    const [first, second, third, ...others] = await eventsOf('');
    expect(others).to.deep.equal([]);
    expect(first).to.deep.include({
      ...{ type: 'ObjectEvent', action: 'OBSERVE', eventTime: wire(0), eventTimeZoneOffset: '+00:00' },
      ...{ epcList: [LINK], bizStep: 'receiving', disposition: 'in_progress' },
      readPoint: { id: 'https://id.gs1.org/414/4012345000115/254/987' },
      bizLocation: { id: 'https://id.gs1.org/414/4012345000115/254/987' },
    });
    expect(second?.epcList).to.deep.equal([`${PUBLIC_URL}/api/v1/assets/${crate}`]);
    expect(third).to.deep.include({ bizLocation: { id: `${PUBLIC_URL}/api/v1/locations/${aisle}` } });
    expect(third).not.to.have.property('bizStep');
  });

  for (const [query, minutes] of [
    [`MATCH_epc=${URN}`, [0, 10]],
    [
      `MATCH_anyEPC=${encodeURIComponent(`https://example.com/01/80614141123458/21/6789|${PUBLIC_URL}/api/v1/assets/`)}`,
      [0, 10],
    ],
    ['MATCH_epc=urn:epc:id:sgtin:0614141.812345.1', []],
    ['MATCH_epc=CRATE', [1]],
    ['EQ_bizStep=urn:epcglobal:cbv:bizstep:receiving', [0, 1]],
    ['EQ_bizStep=shipping|receiving&EQ_disposition=in_progress', [0, 1]],
    ['EQ_readPoint=urn:epc:id:sgln:4012345.00011.987', [0, 1]],
    ['EQ_bizLocation=https://id.gs1.org/414/4012345000115', []],
    [`GE_eventTime=${wire(1)}`, [1, 10]],
    [`LT_eventTime=${wire(1)}`, [0]],
    [`GE_recordTime=${new Date(START).toISOString()}`, [0, 1, 10]],
    [`LT_recordTime=${new Date(START).toISOString()}`, []],
    ['eventType=AggregationEvent', []],
    ['eventType=AggregationEvent&eventType=ObjectEvent&EQ_action=OBSERVE', [0, 1, 10]],
    ['EQ_action=ADD', []],
    ['orderBy=recordTime', [10, 1, 0]],
    ['orderBy=eventTime&orderDirection=ASC', [0, 1, 10]],
    ['orderBy=eventTime&eventCountLimit=1', [10]],
    ['orderBy=recordTime&orderDirection=ASC&eventCountLimit=2', [0, 1]],
    ['maxEventCount=3', [0, 1, 10]],
  ] as const) {
    it(`are found by ${query}`, async () => {
      const named = query.replace('CRATE', `${PUBLIC_URL}/api/v1/assets/${crate}`);
      expect(times(await eventsOf(`?${named}`))).to.deep.equal(minutes.map(wire));
    });
  }

  for (const query of [
    'perPage=1',
    'perPage=1&orderBy=recordTime',
    'perPage=1&orderBy=eventTime',
    'perPage=2&maxEventCount=5',
  ]) {
    it(`come page by page with ${query}, each once`, async () => {
      const whole = times(await eventsOf(`?${query.replace(/perPage=\d/, 'perPage=30')}`));
      const found: string[] = [];
      let path = `/events?${query}`;
      for (let pages = 0; path !== ''; pages++) {
        expect(pages).to.be.below(5);
        const { headers, body } = await ask(path);
        found.push(...times(body.epcisBody.queryResults.resultsBody.eventList));
        const [, next = ''] =
          /^<https:\/\/tracking\.example\.com\/epcis\/v2(.*)>; rel="next"$/.exec(headers.get('Link') ?? '') ??
          [];
        expect(headers.get('GS1-Next-Page-Token-Expires') === null).to.equal(next === '');
        path = next;
      }
      expect(found).to.deep.equal(whole);
      expect(found).to.have.lengthOf(3);
    });
  }

  for (const [query, field] of [
    ['WD_readPoint=urn:x:y', 'WD_readPoint'],
    ['EQ_bizTransaction_po=1', 'EQ_bizTransaction_po'],
    ['MATCH_epc=urn:epc:idpat:sgtin:0614141.812345.*', 'MATCH_epc'],
    ['eventCountLimit=1', 'orderBy'],
    ['orderBy=readPoint', 'orderBy'],
    ['GE_eventTime=yesterday', 'GE_eventTime'],
    ['nextPageToken=1', 'nextPageToken'],
    [`EQ_bizStep=${'a|'.repeat(100)}a`, 'EQ_bizStep'],
  ] as const) {
    it(`are refused by name: ${field} in ${query.slice(0, 40)}`, async () => {
      const { status, body } = await ask(`/events?${query}`);
      expect(status).to.equal(400);
      expect(body.type).to.equal('epcisException:QueryParameterException');
      expect(body.fields.map(({ field: each }) => each)).to.deep.equal([field]);
    });
  }

  it('are too many where the query says so', async () => {
    const { status, body } = await ask('/events?maxEventCount=2');
    expect([status, body.type]).to.deep.equal([413, 'epcisException:QueryTooLargeException']);
  });

  it('are gone where a next page begins before what is kept', async () => {
    const { headers } = await ask('/events?perPage=1');
    const [, next = ''] = /v2(\/events.*)>/.exec(headers.get('Link') ?? '') ?? [];
    const keep = (more: number) =>
      api.database.rows('update move_heads set oldest = oldest + $2 where org_id = $1', [site.orgId, more]);
    await keep(2);
    const { status, body } = await ask(next);
    expect([status, body.type]).to.deep.equal([410, 'epcisException:NoSuchResourceException']);
    expect(times(await eventsOf(''))).to.deep.equal([wire(10)]);
    await keep(-2);
    expect((await ask(next)).status).to.equal(200);
  });

  it('are found by their ids', async () => {
    const [first] = await eventsOf('');
    const { status, body } = await ask(`/events/${encodeURIComponent(first?.eventID ?? '')}`);
    expect(status).to.equal(200);
    expect(body.epcisBody.queryResults.resultsBody.eventList).to.deep.equal([first]);
    expect(await eventsOf(`?EQ_eventID=${encodeURIComponent(first?.eventID ?? '')}`)).to.deep.equal([first]);
    const unknown = await ask(`/events/${encodeURIComponent('ni:///sha-256;00?ver=CBV2.0')}`);
    expect([unknown.status, unknown.body.type]).to.deep.equal([
      404,
      'epcisException:NoSuchResourceException',
    ]);
  });

  for (const [resource, members, value] of [
    ['eventTypes', ['ObjectEvent'], 'ObjectEvent'],
    ['epcs', [LINK, 'asset'], LINK],
    ['bizSteps', ['receiving'], 'receiving'],
    [
      'bizLocations',
      ['https://id.gs1.org/414/4012345000115/254/987', 'aisle'],
      'urn:epc:id:sgln:4012345.00011.987',
    ],
    [
      'readPoints',
      ['https://id.gs1.org/414/4012345000115/254/987', 'aisle'],
      'urn:epc:id:sgln:4012345.00011.987',
    ],
    ['dispositions', ['in_progress'], 'in_progress'],
  ] as const) {
    it(`are found below ${resource}`, async () => {
      const addresses: Record<string, string> = {
        asset: `${PUBLIC_URL}/api/v1/assets/${crate}`,
        aisle: `${PUBLIC_URL}/api/v1/locations/${aisle}`,
      };
      const { body } = await ask(`/${resource}`);
      expect(body).to.deep.include({
        type: 'Collection',
        member: members.map((each) => addresses[each] ?? each),
      });
      const one = `/${resource}/${encodeURIComponent(value)}`;
      expect((await ask(one)).body.member).to.deep.equal(['events']);
      const { status, body: found } = await ask(`${one}/events?LT_eventTime=${wire(1)}`);
      expect(status).to.equal(200);
      expect(times(found.epcisBody.queryResults.resultsBody.eventList)).to.deep.equal([wire(0)]);
    });
  }

  it('are told to keys of their organization only', async () => {
    expect(await eventsOf('', api.key)).to.deep.equal([]);
    expect(await eventsOf(`?MATCH_epc=${URN}`, api.key)).to.deep.equal([]);
    expect((await ask('/epcs', api.key)).body.member).to.deep.equal([]);
    const { status } = await ask('/events', await api.keyWith(['assets:read'], { orgId: site.orgId }));
    expect(status).to.equal(403);
  });

  it('keep their ids whatever asset and location are called later, and are declared wrong by these', async () => {
    const before = await eventsOf('');
    await api.database.rows(`update locations set gln = null, biz_step = 'storing' where id = $1`, [dock]);
    await api.database.rows('update tags set detached_at = now() where asset_id = $1', [pallet]);
    expect(await eventsOf('')).to.deep.equal(before);
    expect(times(await eventsOf(`?MATCH_epc=${URN}`))).to.deep.equal([wire(0), wire(10)]);
    await site.tag({ assetId: pallet }, HEX);
    // Late: it was in the aisle before.
    await read(HEX, 2, minute(5));
    const [was, ...rest] = (await eventsOf('')).slice(before.length);
    const last = before.at(-1);
    expect(was).to.deep.include({ eventID: last?.eventID, eventTime: last?.eventTime });
    expect(rest.map(({ eventTime }) => eventTime)).to.deep.equal([wire(5)]);
    expect(was?.errorDeclaration).to.deep.include({
      reason: 'incorrect_data',
      correctiveEventIDs: [rest[0]?.eventID],
    });
    for (const query of [
      'EXISTS_errorDeclaration=true',
      'EQ_errorReason=urn:epcglobal:cbv:er:incorrect_data',
      `EQ_correctiveEventID=${encodeURIComponent(rest[0]?.eventID ?? '')}`,
      `GE_errorDeclarationTime=${was?.recordTime}`,
    ]) {
      expect(await eventsOf(`?${query}`)).to.deep.equal([was]);
    }
    expect(await eventsOf(`?LT_errorDeclarationTime=${was?.recordTime}`)).to.deep.equal([]);
    const { body } = await ask(`/events/${encodeURIComponent(last?.eventID ?? '')}`);
    expect(body.epcisBody.queryResults.resultsBody.eventList).to.deep.equal([was, last]);
  });

  it('are looked through in bounded steps, which lead to what matches far away', async () => {
    const orgId = (await api.organization('Long')).orgId;
    const by = await api.keyWith(['tracking:read'], { orgId });
    const other = await Site.of(api.database, orgId).asset('MANY');
    await appendMoves(api.database, orgId, Array(7_000).fill({ assetId: other }));
    let path = '/events?EQ_bizStep=shipping';
    let pages = 0;
    const left: number[] = [];
    for (; path !== ''; pages++) {
      const { status, headers, body } = await ask(path, by);
      expect(status).to.equal(200);
      expect(body.epcisBody.queryResults.resultsBody.eventList).to.deep.equal([]);
      left.push(Number(headers.get('X-RateLimit-Remaining')));
      path = /epcis\/v2(.*)>/.exec(headers.get('Link') ?? '')?.[1] ?? '';
    }
    expect(pages).to.be.above(1);
    // More than the request's own token.
    expect(left[0]).to.be.below(60_000 - 1);
  });

  it('of many assets are found without looking at all that these did', async () => {
    const orgId = (await api.organization('Many')).orgId;
    const many = Site.of(api.database, orgId);
    const epcs = Array.from({ length: 40 }, (_, at) => `urn:epc:id:sgtin:0614141.107346.${at}`);
    const assets: number[] = [];
    for (const epc of epcs) {
      assets.push(await many.asset(epc.slice(-6).replace(/\W/g, ''), epc));
    }
    await api.database.rows(`update tags set attached_at = '2026-01-01' where org_id = $1`, [orgId]);
    const locationId = await many.location('HERE');
    const since = (at: number) => new Date(START + at * 1_000).toISOString();
    await appendMoves(
      api.database,
      orgId,
      // The first one moves most.
      Array.from({ length: 16_000 }, (_, at) => ({
        ...{
          assetId: assets[at % 3 === 0 ? 0 : at % 40] ?? 0,
          locationId,
          since: since(at),
          lastSeen: since(at),
        },
      })),
    );
    const measured = await MeasuredClient.connect(api.database.url, 'auto', true);
    for (const isDescending of [false, true]) {
      const read: number[] = [];
      const statements = await measured.measure(async (client) => {
        const db = { orgId, ...verbsOn((query) => client.query(query)) };
        const wanted = { filter: filterOf({ MATCH_epc: epcs }), isDescending, limit: 200 };
        const first = await readEvents(db, null, wanted);
        const second = await readEvents(db, null, { ...wanted, begin: first.next ?? undefined });
        append(
          read,
          [...first.events, ...second.events].map(({ eventTime }) => Date.parse(eventTime)),
        );
      });
      const all = Array.from({ length: 400 }, (_, at) => Date.parse(since(isDescending ? 15_999 - at : at)));
      expect(read).to.deep.equal(all);
      const pages = [...statements.values()].reduce((sum, each) => sum + each.pages, 0);
      expect(pages).to.be.below(16_000);
    }
    await measured.client.end();
  });

  it('of large corrections cost what is named of them, and hold up nobody', async () => {
    const orgId = (await api.organization('Large')).orgId;
    const by = await api.keyWith(['tracking:read'], { orgId });
    const other = await Site.of(api.database, orgId).asset('LARGE');
    const here = await Site.of(api.database, orgId).location('HERE');
    const added = Array.from({ length: 1_000 }, (_, at) => [
      (START - at * 1_000) * 1_000,
      here,
      at,
    ]).reverse();
    await appendMoves(
      api.database,
      orgId,
      Array(10).fill({ assetId: other, kind: 'corrected', locationId: here, rows: { added } }),
    );
    const yardstick = new Yardstick(JSON.stringify(Array(200_000).fill(['a'])));
    const asked = async () => {
      const { status, headers, body } = await ask('/events?EQ_bizStep=shipping', by);
      expect([status, body.epcisBody.queryResults.resultsBody.eventList]).to.deep.equal([200, []]);
      return Number(headers.get('X-RateLimit-Remaining'));
    };
    expect(await asked()).to.be.below(60_000 - 5);
    const hold = (attempts: number) => longestHold(asked, attempts);
    expect(await yardstick.isExceededBy(hold)).to.equal(false);
  });
});
