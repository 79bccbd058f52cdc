import { expect } from 'chai';
import {
  bareTerm,
  canonicalUri,
  eventIdOf,
  eventOf,
  isOfOneThing,
  toldBy,
} from '../../../domain/epcis/event.ts';
import { namedByBarcode } from '../../../domain/identity/barcode-key.ts';
import { type MoveEvent, type MoveRow, eventOf as moveOf } from '../../../domain/moves/event.ts';

const OBJECT = { type: 'ObjectEvent', action: 'OBSERVE' } as const;

/** Examples of the reference implementation that CBV 2.0 names (RalphTro/epcis-event-hash-generator, MIT), with its hashes. */
const PUBLISHED = [
  {
    event: {
      ...{ eventTime: '2023-02-02T11:04:03.1415Z', eventTimeZoneOffset: '+01:00' },
      epcList: ['https://id.gs1.de/00/040123451111111110'],
      ...{ bizStep: 'shipping', disposition: 'in_transit' },
      readPoint: { id: 'https://id.gs1.de/414/4012345000115' },
    },
    hash: 'af7658e711574363633f20b3dadc7bc4c13c6f612cf96d95e03c421c0e58f3c6',
  },
  {
    event: {
      ...{ eventTime: '2023-02-02T11:04:03.1414Z', eventTimeZoneOffset: '+01:00' },
      epcList: ['https://id.gs1.de/00/040123451111111110'],
      bizStep: 'transporting',
      readPoint: { id: 'geo:50.947573340894124,6.922120147375441' },
    },
    hash: '0550df44527332c1fe417c5837fe61b9e71eaa93307b88519dac549bf2d4dcf9',
  },
  {
    event: {
      ...{ eventTime: '2019-10-21T14:45:00Z', eventTimeZoneOffset: '+01:00' },
      epcList: ['https://id.gs1.org/00/040123451111111127'],
      ...{ bizStep: 'inspecting', disposition: 'in_progress' },
      readPoint: { id: 'https://id.gs1.org/414/4012345000245/254/1' },
    },
    hash: 'b3d481c5590757ab8361a6cb0e924820feb3b61eb568e7d7703f21a96f76f51d',
  },
  {
    event: {
      ...{ eventTime: '2022-02-16T16:50:00.000+01:00', eventTimeZoneOffset: '+01:00' },
      epcList: ['urn:epc:id:sscc:4012345.1112223334'],
      bizStep: 'transporting',
      readPoint: { id: 'geo:47.506694,11.104301' },
    },
    hash: '1d2ec4174d8f0b5988a44795b31a636e8bc7f88ebc4bdc0d35c14f215a842e80',
  },
  {
    event: {
      ...{ eventTime: '2019-10-21T15:45:00.000+01:00', eventTimeZoneOffset: '+01:00' },
      epcList: ['urn:epc:id:sscc:4012345.0111111111'],
      ...{ bizStep: 'inspecting', disposition: 'in_progress' },
      readPoint: { id: 'urn:epc:id:sgln:4012345.00024.0' },
    },
    hash: 'c50842eb714406394a77fb7b517fea621c78a61f65549874de7c9e019afe7b6f',
  },
];

describe('ids of events', () => {
  for (const { event, hash } of PUBLISHED) {
    it(`are the published hash of ${event.eventTime} at ${event.readPoint.id}`, () => {
      expect(eventIdOf({ ...OBJECT, ...event })).to.equal(`ni:///sha-256;${hash}?ver=CBV2.0`);
    });
  }

  it('are of GS1 keys in one notation, percent-encoded as the reference does', () => {
    for (const [uri, link] of [
      ['urn:epc:id:sgtin:4012345.011111.98%22', '01/04012345111118/21/98%22'],
      [
        'urn:epc:id:sgtin:0614141.812345.6789%2F%26%25%22!%3F()',
        '01/80614141123458/21/6789%2F%26%25%22%21%3F%28%29',
      ],
      ['urn:epc:id:sgln:4012345.00005.0', '414/4012345000054'],
      ['urn:epc:id:cpi:0614141.11111111111111-A%23%2F.1234', '8010/061414111111111111111-A%23%2F/8011/1234'],
      ['https://example.com/gtin/09780345418913/21/765tz?abc=211121', '01/09780345418913/21/765tz'],
    ] as const) {
      expect(canonicalUri(uri)).to.equal(`https://id.gs1.org/${link}`);
    }
    expect(canonicalUri('https://example.com/api/v1/assets/17')).to.equal(
      'https://example.com/api/v1/assets/17',
    );
  });
});

describe('terms of the core business vocabulary', () => {
  it('are one word in each notation', () => {
    for (const term of [
      'shipping',
      'urn:epcglobal:cbv:bizstep:shipping',
      'cbv:BizStep-shipping',
      'https://ref.gs1.org/cbv/BizStep-shipping',
    ]) {
      expect(bareTerm(term)).to.equal('shipping');
    }
    expect(bareTerm('https://example.com/steps/weighing')).to.equal('https://example.com/steps/weighing');
  });
});

describe('keys of one thing', () => {
  it('have a serial number', () => {
    const one = [
      '(01)09524000059109(21)ABC',
      '(00)040123451111111110',
      '(8004)4012345AAbb',
      'urn:epc:id:gid:1.2.3',
    ];
    const many = ['(01)09524000059109', '(01)09524000059109(10)L1', '(8003)04012345666663'];
    const isOne = (value: string) => {
      const named = namedByBarcode(value);
      return named !== null && isOfOneThing(named);
    };
    expect(one.map(isOne)).to.deep.equal(one.map(() => true));
    expect(many.map(isOne)).to.deep.equal(many.map(() => false));
  });
});

describe('events of a move', () => {
  const moveWith = (changed: Partial<MoveRow>) =>
    moveOf({
      ...{ org_id: 1, position: 7, asset_id: 17, kind: 'moved', part: 1, parts: 1, duration_seconds: null },
      ...{
        recorded_at: '2026-05-04 08:00:11.12+00',
        location_id: 4,
        since: '2026-05-04 07:41:00+00',
        last_seen: null,
      },
      ...{ location_external_key: 'DOCK-1', previous_location_id: null, rows: null, keys: null },
      ...changed,
    } as MoveRow) as MoveEvent;
  const namesOf = ({ locationId }: { locationId: number }) => ({
    ...{
      epc: 'https://id.gs1.org/01/09524000059109/21/ABC',
      place: `https://t.example/api/v1/locations/${locationId}`,
    },
    ...{ bizStep: 'arriving', disposition: null },
  });
  const eventsOf = (changed: Partial<MoveRow> = {}) =>
    toldBy(moveWith(changed)).map((told) => eventOf(told, namesOf));

  it('are one observation of an asset that came', () => {
    const [event, ...others] = eventsOf();
    expect(others).to.deep.equal([]);
    expect(event).to.deep.equal({
      type: 'ObjectEvent',
      eventID: event?.eventID,
      eventTime: '2026-05-04T07:41:00.000Z',
      eventTimeZoneOffset: '+00:00',
      epcList: ['https://id.gs1.org/01/09524000059109/21/ABC'],
      action: 'OBSERVE',
      bizStep: 'arriving',
      readPoint: { id: 'https://t.example/api/v1/locations/4' },
      bizLocation: { id: 'https://t.example/api/v1/locations/4' },
      recordTime: '2026-05-04T08:00:11.120Z',
    });
    expect(event?.eventID).to.match(/^ni:\/\/\/sha-256;[0-9a-f]{64}\?ver=CBV2\.0$/);
  });

  it('declare the event that a correction takes back, and name the one that holds', () => {
    const at = 1_777_880_460_000_000;
    const [first] = eventsOf();
    const [declared, now] = eventsOf({
      kind: 'corrected',
      location_id: 5,
      rows: JSON.stringify({ changed: [[at, 5, null, 4, null]] }),
      keys: '{"4": "DOCK-1", "5": "AISLE-A"}',
    });
    expect(declared?.eventID).to.equal(first?.eventID);
    expect(declared?.errorDeclaration).to.deep.equal({
      declarationTime: '2026-05-04T08:00:11.120Z',
      reason: 'incorrect_data',
      correctiveEventIDs: [now?.eventID],
    });
    expect(now).to.deep.include({ bizLocation: { id: 'https://t.example/api/v1/locations/5' } });
    expect(now).not.to.have.property('errorDeclaration');
  });

  it('say that nothing happened where nothing came in its place', () => {
    const rows = JSON.stringify({ removed: [[1_777_880_460_000_000, 4, null]] });
    const events = eventsOf({
      kind: 'corrected',
      location_id: null,
      since: null,
      rows,
      keys: '{"4": "DOCK-1"}',
    });
    expect(events.map(({ errorDeclaration }) => errorDeclaration?.reason)).to.deep.equal(['did_not_occur']);
  });

  it('are none where only a stay before became longer', () => {
    const rows = JSON.stringify({ changed: [[1_777_880_460_000_000, 4, 60, 4, 30]] });
    expect(eventsOf({ kind: 'corrected', rows, keys: '{"4": "DOCK-1"}' })).to.deep.equal([]);
  });
});
