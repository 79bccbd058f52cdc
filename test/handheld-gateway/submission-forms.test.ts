import { expect } from 'chai';
import { BODY_LIMIT } from '../../platform/http/read-body.ts';
import { expectIssues } from '../support/api.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';

describe('a submission that cannot be', () => {
  const gateway = useGateway();
  const { database } = gateway;
  before(async () => {
    const dock = await gateway.site.location('DOCK-1');
    await gateway.site.tag({ locationId: dock }, 'D1', 'barcode');
    await gateway.site.asset('FORKLIFT', 'E280AA');
    await gateway.site.asset('TWIN-1', '00E280CC');
    await gateway.site.asset('TWIN-2', '0E280CC');
  });
  afterEach('it changed nothing', async () => {
    for (const table of ['submissions', 'scan_events', 'positions', 'location_transitions', 'unknown_tags']) {
      expect(await database.rows(`select from ${table}`), table).to.deep.equal([]);
    }
  });

  const good = { location: { external_key: 'DOCK-1' } };
  const scan = aScan('E280AA');
  const without = (key: string, from: object) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => name !== key));
  const withScan = (change: object) => aSubmission([aScan('D1', 2, 'barcode'), { ...scan, ...change }], good);

  const INVALID: [name: string, json: object, ...issues: [field: string, code: string][]][] = [
    ['an empty object', {}, ['submission_id', 'required'], ['sent_at', 'required'], ['scans', 'required']],
    ['no submission_id', without('submission_id', aSubmission([scan], good)), ['submission_id', 'required']],
    [
      'a submission_id in lower case',
      aSubmission([scan], { submission_id: '01kqsb3m8r0e5t9v2w4x6y8z1a' }),
      ['submission_id', 'invalid_value'],
    ],
    [
      'a submission_id that is no ULID',
      aSubmission([scan], { submission_id: '81KQSB3M8R0E5T9V2W4X6Y8Z1A' }),
      ['submission_id', 'invalid_value'],
    ],
    [
      'a submission_id that is null',
      aSubmission([scan], { submission_id: null }),
      ['submission_id', 'invalid_value'],
    ],
    ['no sent_at', without('sent_at', aSubmission([scan], good)), ['sent_at', 'required']],
    [
      'a sent_at that is no time',
      aSubmission([scan], { sent_at: '2026-05-04' }),
      ['sent_at', 'invalid_value'],
    ],
    [
      'a sent_at that means unset',
      aSubmission([scan], { sent_at: '1970-01-01T00:00:00Z' }),
      ['sent_at', 'invalid_value'],
    ],
    [
      'a sent_at that is a number',
      aSubmission([scan], { sent_at: 1777885201 }),
      ['sent_at', 'invalid_value'],
    ],
    ['no scans', aSubmission([]), ['scans', 'too_short']],
    ['1001 scans', aSubmission(Array.from({ length: 1001 }, () => scan)), ['scans', 'too_long']],
    ['an unknown key', aSubmission([scan], { device: 'gun' }), ['device', 'unknown_field']],
    ['a location of no form', aSubmission([scan], { location: {} }), ['location', 'invalid_value']],
    [
      'a location of two forms',
      aSubmission([scan], { location: { id: 1, external_key: 'DOCK-1' } }),
      ['location.id', 'ambiguous_fields'],
      ['location.external_key', 'ambiguous_fields'],
    ],
    [
      'a location of another form',
      aSubmission([scan], { location: { name: 'Dock' } }),
      ['location.name', 'unknown_field'],
    ],
    ['a location id of 0', aSubmission([scan], { location: { id: 0 } }), ['location.id', 'too_small']],
    [
      'a location id too large',
      aSubmission([scan], { location: { id: 2147483648 } }),
      ['location.id', 'too_large'],
    ],
    [
      'a location key that is none',
      aSubmission([scan], { location: { external_key: 'DOCK 1' } }),
      ['location.external_key', 'invalid_value'],
    ],
    [
      'a location tag without a value',
      aSubmission([scan], { location: { tag: { tag_type: 'rfid' } } }),
      ['location.tag.value', 'required'],
    ],
    [
      'a location tag of separators',
      aSubmission([scan], { location: { tag: { tag_type: 'rfid', value: '--' } } }),
      ['location.tag.value', 'invalid_value'],
    ],
    [
      'a location that is not there',
      aSubmission([scan], { location: { id: 4000 } }),
      ['location.id', 'fk_not_found'],
    ],
    [
      'a location key nothing has',
      aSubmission([scan], { location: { external_key: 'NOWHERE' } }),
      ['location.external_key', 'fk_not_found'],
    ],
    [
      'a location tag nothing has',
      aSubmission([scan], { location: { tag: { tag_type: 'rfid', value: 'E2FF' } } }),
      ['location.tag', 'fk_not_found'],
    ],
    [
      "an asset's tag for a location",
      aSubmission([scan], { location: { tag: { tag_type: 'rfid', value: 'E280AA' } } }),
      ['location.tag', 'fk_not_found'],
    ],
    [
      'an ambiguous tag for a location',
      aSubmission([scan], { location: { tag: { tag_type: 'rfid', value: 'E280CC' } } }),
      ['location.tag', 'fk_not_found'],
    ],
    ['a scan without a tag_type', withScan({ tag_type: undefined }), ['scans[1].tag_type', 'required']],
    ['a scan with a tag_type of null', withScan({ tag_type: null }), ['scans[1].tag_type', 'required']],
    [
      'a scan of an unknown kind of tag',
      withScan({ tag_type: 'nfc' }),
      ['scans[1].tag_type', 'invalid_value'],
    ],
    ['a scan without a value', withScan({ value: undefined }), ['scans[1].value', 'required']],
    ['a scan with an empty value', withScan({ value: '' }), ['scans[1].value', 'too_short']],
    [
      'a scan with a value of 256 characters',
      withScan({ value: '😀'.repeat(256) }),
      ['scans[1].value', 'too_long'],
    ],
    ['a scan with a control character', withScan({ value: 'E2\u0000' }), ['scans[1].value', 'invalid_value']],
    ['a scan of separators only', withScan({ value: ': - ' }), ['scans[1].value', 'invalid_value']],
    [
      'a BLE scan of separators only',
      withScan({ tag_type: 'ble', value: '::' }),
      ['scans[1].value', 'invalid_value'],
    ],
    ['a scan without a time', withScan({ observed_at: undefined }), ['scans[1].observed_at', 'required']],
    [
      'a scan with a time of null',
      withScan({ observed_at: null }),
      ['scans[1].observed_at', 'invalid_value'],
    ],
    [
      'a scan with a time that is none',
      withScan({ observed_at: 'now' }),
      ['scans[1].observed_at', 'invalid_value'],
    ],
    ['a signal too strong to be', withScan({ rssi: 1e9 }), ['scans[1].rssi', 'too_large']],
    ['a signal too weak to be', withScan({ rssi: -1e9 }), ['scans[1].rssi', 'too_small']],
    ['an unknown key in a scan', withScan({ location: 'DOCK-1' }), ['scans[1].location', 'unknown_field']],
    [
      'several faults, all of which it names',
      aSubmission(
        [
          { ...scan, value: '' },
          { ...scan, tag_type: 'x' },
        ],
        { sent_at: '' },
      ),
      ['sent_at', 'invalid_value'],
      ['scans[0].value', 'too_short'],
      ['scans[1].tag_type', 'invalid_value'],
    ],
  ];
  for (const [name, json, ...issues] of INVALID) {
    it(`is refused with the fields named: ${name}`, async () => {
      expectIssues(await gateway.submit(json), issues);
    });
  }

  const UNDECODABLE: [name: string, body: string, detail: string][] = [
    ['no JSON', '{"submission_id":', 'Request body is not valid JSON'],
    ['nothing', '', 'Request body is not valid JSON'],
    ['a list', '[]', 'Request body could not be decoded as the expected type'],
    ['null', 'null', 'Request body could not be decoded as the expected type'],
    ['scans that are none', '{"scans":{}}', 'Body field "scans" could not be decoded as the expected type'],
    [
      'a scan that is none',
      '{"scans":[1]}',
      'Body field "scans[0]" could not be decoded as the expected type',
    ],
    [
      'a value of another type',
      '{"scans":[{"value":1}]}',
      'Body field "scans[0].value" could not be decoded as the expected type',
    ],
    [
      'a signal of another type',
      '{"scans":[{"rssi":"-54"}]}',
      'Body field "scans[0].rssi" could not be decoded as the expected type',
    ],
    [
      'an id of another type',
      '{"submission_id":1}',
      'Body field "submission_id" could not be decoded as the expected type',
    ],
    [
      'a location of another type',
      '{"location":"DOCK-1"}',
      'Body field "location" could not be decoded as the expected type',
    ],
    [
      'a location id of another type',
      '{"location":{"id":"1"}}',
      'Body field "location.id" could not be decoded as the expected type',
    ],
    [
      'a tag of another type',
      '{"location":{"tag":"D1"}}',
      'Body field "location.tag" could not be decoded as the expected type',
    ],
    ['too deep a nesting', '['.repeat(65) + ']'.repeat(65), 'Request body is nested deeper than 64 levels'],
  ];
  for (const [name, body, detail] of UNDECODABLE) {
    it(`cannot be decoded: ${name}`, async () => {
      const answer = await gateway.submit(undefined, { body });
      expect(answer.body?.error).to.include({ type: 'bad_request', status: 400, detail });
    });
  }

  it('is too large', async () => {
    const answer = await gateway.submit(undefined, { body: ' '.repeat(BODY_LIMIT + 1) });
    expect(answer.body?.error).to.include({ type: 'payload_too_large', status: 413 });
  });

  it('is of another media type', async () => {
    const answer = await gateway.submit(aSubmission([scan], good), {
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(answer.body?.error).to.include({ type: 'unsupported_media_type', status: 415 });
  });

  it('comes with a parameter', async () => {
    const answer = await gateway.submit(aSubmission([scan], good), {
      path: '/handheld/v1/submissions?dry_run=true',
    });
    expectIssues(answer, [['dry_run', 'unknown_field']]);
  });
});
