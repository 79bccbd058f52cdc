import { expect } from 'chai';
import { pino } from 'pino';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { barcodeKey } from '../../domain/identity/barcode-key.ts';
import { decodeEpc } from '../../domain/identity/epc.ts';
import { identifiersOf, namedByEpc } from '../../domain/identity/named.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startApi } from '../../services/api/start.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { apiConfig } from '../support/api.ts';
import { type TestConsole, useConsole } from '../support/console.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';
import { startWorker } from '../support/worker.ts';

/** What a printer would write and draw for a label of ZPL. */
function readLabel(zpl: string) {
  const data = (command: RegExp) => command.exec(zpl)?.[1] ?? '';
  const [, bytes = '', memory = ''] = /\^RFW,H,1,(\d+),1\^FD([0-9A-F]+)\^FS/.exec(zpl) ?? [];
  // The sign behind the underscore: 1 is FNC1.
  const matrix = data(/\^BXN,\d+,200,,,,_\^FD(.*?)\^FS/).replace(/_(.)/g, (_, sign) =>
    sign === '1' ? '\u001d' : sign,
  );
  return {
    ...{ bytes: Number(bytes), bits: memory.slice(0, 4), epc: memory.slice(4), matrix },
    link: data(/\^BQN,2,\d+\^FDMA,(.*?)\^FS/),
  };
}

const PARTNER = 'urn:epc:id:sgln:0614141.07346.1234';

/** Captures a sighting by a partner, over HTTP. */
async function captured({ database, orgId }: TestConsole, epc: string | null): Promise<void> {
  const log = pino({ level: 'silent' });
  const lifecycle = new Lifecycle(log);
  database.beforeDrop(() => lifecycle.stop());
  const { url } = await startApi(apiConfig(database.url), log, lifecycle);
  await startWorker(database);
  const { key } = await createApiKey(databaseOn(database.pool), TEST_ACTOR, {
    ...{ orgId, name: 'Partner', scopes: ['tracking:write'], expiresAt: null },
  });
  const response = await fetch(`${url}/epcis/v2/events`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{
        '@context': 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld',
        type: 'ObjectEvent',
      },
      ...{ eventTime: new Date().toISOString(), eventTimeZoneOffset: '+00:00', action: 'OBSERVE' },
      ...{ epcList: [epc], readPoint: { id: PARTNER } },
    }),
  });
  expect(response.status, await response.text()).to.equal(201);
}

describe('labels with RFID tags', () => {
  const suite = useConsole();
  const { call } = suite;
  const post = (path: string, json: object, token?: string) =>
    call({ method: 'POST', path, json, ...(token === undefined ? {} : { token }) });
  const ITEMS = { ai: '01', base: '80614141123458' };
  const RANGE = { ...ITEMS, prefix_length: 7, filter: 1, next_serial: 1, last_serial: 100 };
  const print = (keys: readonly string[], more: object = {}) =>
    post('/labels', { ...ITEMS, external_keys: keys, dpi: 203, ...more });
  const labelsOf = (answer: { body: { data: { zpl: string } } }) =>
    answer.body.data.zpl.split(/(?=\^XA)/).map(readLabel);
  const make = async (key: string, name = key) =>
    (await post('/assets', { name, external_key: key })).body.data.id as number;

  it('get numbers of a range that an administrator has added, one for each key', async () => {
    const operator = await suite.people.user('operator@example.com', {
      orgId: suite.orgId,
      role: 'operator',
    });
    expect((await post('/serial-ranges', RANGE, operator.token)).status).to.equal(403);
    expect((await post('/serial-ranges', RANGE)).body.data).to.deep.equal(RANGE);
    expect((await call({ path: '/serial-ranges' })).body.data).to.deep.equal([RANGE]);
    expect((await post('/serial-ranges', { ...RANGE, next_serial: 500, last_serial: 600 })).status).to.equal(
      409,
    );
    for (const wrong of [
      { base: '80614141123459' },
      { prefix_length: 13 },
      { last_serial: 0 },
      { ai: '00', base: '10614141', last_serial: 1e9 },
      { ai: '00', base: '106141412', last_serial: 9 },
      { ai: '8003', base: '614141123452' },
    ]) {
      expect((await post('/serial-ranges', { ...RANGE, ...wrong })).status, JSON.stringify(wrong)).to.equal(
        400,
      );
    }
  });

  it('get them of one range, however many are added at once, and of a thousand at most', async () => {
    const numbers = { ai: '00', filter: 0, next_serial: 1, last_serial: 9 };
    const answers = await Promise.all(
      [
        ['2061414', 6],
        ['20614141', 7],
        ['206141412', 8],
        ['2061414123', 9],
      ].map(([base, length]) => post('/serial-ranges', { ...numbers, base, prefix_length: length })),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
    await suite.database.rows(
      `insert into serial_ranges (org_id, ai, base, prefix_length, filter, next_serial, last_serial)
       select $1, '8004', (100000 + n)::text, 6, 0, 1, 9 from generate_series(1, 998) n`,
      [suite.orgId],
    );
    const more = await post('/serial-ranges', { ...numbers, base: '30614141', prefix_length: 7 });
    expect(more.body.error.detail).to.include('has 1000 keys that labels number; the maximum is 1000');
    await suite.database.rows(`delete from serial_ranges where ai in ('00', '8004')`);
  });

  it('write whole words of a tag of 198 bits, which another program has encoded', async () => {
    const epc = '3674257BF6B7A659B2C2BF1000000000000000000000000000';
    await Site.of(suite.database, suite.orgId).asset('ENCODED', epc);
    const range = { ai: '01', base: '70614141123451' };
    expect((await post('/serial-ranges', { ...RANGE, ...range })).status).to.equal(200);
    const [label] = labelsOf(await print(['ENCODED'], range));
    expect(label).to.include({ bytes: 28, bits: '6800', epc: `${epc}00` });
    await suite.database.rows('delete from serial_ranges where base = $1', [range.base]);
  });

  it('hold one number as EPC with its control bits, as GS1 DataMatrix and as Digital Link', async () => {
    const id = await make('CRATE-1', 'Crate ^XZ ~ \\ Käfig');
    const answer = await print(['CRATE-1'], { dpi: 300 });
    const [label] = labelsOf(answer);
    expect(label).to.include({ bytes: 14, bits: '3000' });
    expect(decodeEpc(label?.epc ?? '')).to.deep.include({
      values: { filter: '1', prefix: '0614141', reference: '812345', serial: '1' },
    });
    const named = namedByEpc(label?.epc ?? '');
    expect(named && identifiersOf(named).digital_link).to.equal(label?.link);
    expect(label?.link).to.equal('https://id.gs1.org/01/80614141123458/21/1');
    expect(barcodeKey(label?.matrix ?? '')).to.equal(barcodeKey(label?.link ?? ''));
    expect(answer.body.data.zpl).to.include('^FDCrate \\5EXZ \\7E \\5C Käfig^FS');
    const { tags } = (await call({ path: `/assets/${id}` })).body.data;
    expect(tags).to.have.length(1);
    expect(tags[0]).to.include({ tag_type: 'rfid', value: label?.epc });
  });

  it('are printed again as they were, without another number', async () => {
    await make('CRATE-2');
    const [first, second] = labelsOf(await print(['CRATE-1', 'CRATE-2']));
    const [again] = labelsOf(await print(['CRATE-2'], { dpi: 600 }));
    expect([first?.link, second?.link, again?.link].map((link) => link?.split('/').at(-1))).to.deep.equal([
      ...['1', '2', '2'],
    ]);
    expect((await call({ path: '/serial-ranges' })).body.data[0].next_serial).to.equal(3);
  });

  it('never get a number twice, however many draw at once, and skip those that tags have already', async () => {
    await post('/assets', {
      name: 'Taken',
      tags: [{ tag_type: 'barcode', value: '(01)80614141123458(21)5' }],
    });
    const keys = Array.from({ length: 12 }, (_, index) => `MANY-${index}`);
    for (const key of keys) {
      await make(key);
    }
    const answers = await Promise.all([
      print(keys.slice(0, 5)),
      print(keys.slice(4, 9)),
      print(keys.slice(8)),
      print(keys.slice(2, 6)),
    ]);
    const byKey = new Map<string, Set<string>>();
    for (const answer of answers) {
      expect(answer.status).to.equal(200);
      for (const zpl of answer.body.data.zpl.split(/(?=\^XA)/)) {
        const key = /\^FD(MANY-\d+)\^FS/.exec(zpl)?.[1] ?? '';
        byKey.set(key, (byKey.get(key) ?? new Set()).add(readLabel(zpl).epc));
      }
    }
    const epcs = [...byKey.values()].flatMap((of) => [...of]);
    expect([byKey.size, epcs.length, new Set(epcs).size]).to.deep.equal([12, 12, 12]);
    const serials = epcs.map((epc) => decodeEpc(epc)?.values['serial']);
    expect(serials).not.to.include('5');
  });

  it('go on behind thousands that tags have already, as after a restore', async () => {
    const crates = { ai: '8003', base: '0614141123452' };
    const { rows } = suite.database;
    const before = { ...crates, prefix_length: 7, filter: 0, next_serial: 1, last_serial: 1_200 };
    expect((await post('/serial-ranges', before)).status).to.equal(200);
    const owner = await make('RESTORED');
    const keys = Array.from({ length: 1_100 }, (_, at) =>
      barcodeKey(`(8003)0${crates.base}${at < 700 ? at + 1 : at + 2}`),
    );
    await rows(
      `insert into tags (org_id, asset_id, tag_type, value, tag_key, normal_key)
       select $1, $2, 'barcode', 'restored ' || key, 'restored ' || key, key from unnest($3::text[]) key`,
      [suite.orgId, owner, keys],
    );
    await make('CRATE-701');
    await make('CRATE-1102');
    const serialOf = async (key: string) => {
      const answer = await post('/labels', { ...crates, external_keys: [key], dpi: 203 });
      return labelsOf(answer)[0]?.link.split(crates.base).at(-1);
    };
    expect([await serialOf('CRATE-701'), await serialOf('CRATE-1102')]).to.deep.equal(['701', '1102']);
    await rows(`delete from serial_ranges where ai = '8003'`);
  });

  it('are as large as the printer takes them, with the codes that were asked for, or say what has no room', async () => {
    await make('SMALL', 'x'.repeat(200));
    const next = async () => (await call({ path: '/serial-ranges' })).body.data[0].next_serial;
    const before = await next();
    const refused = await print(['SMALL'], { width_mm: 40, height_mm: 20 });
    expect(refused.status).to.equal(400);
    expect(refused.body.error.detail).to.include(
      '40 × 20 mm has no room for both codes: ask for one of them',
    );
    expect(await next()).to.equal(before);
    for (const wrong of [{ width_mm: 39 }, { height_mm: 301 }, { codes: 'all' }]) {
      expect((await print(['SMALL'], wrong)).status, JSON.stringify(wrong)).to.equal(400);
    }
    for (const dpi of [203, 300, 600]) {
      const dots = { 203: 8, 300: 12, 600: 24 }[dpi] ?? 0;
      const { zpl } = (await print(['SMALL'], { dpi, width_mm: 40, height_mm: 20, codes: 'gs1' })).body.data;
      expect(zpl).to.include(`^PW${40 * dots}^LL${20 * dots}\n`);
      const [, x = '', y = '', module = ''] = /\^FO(\d+),(\d+)\^BXN,(\d+),/.exec(zpl) ?? [];
      expect(zpl).not.to.include('^BQ');
      // 20 modules with its quiet zone, and the key below.
      const end = Number(y) + 20 * Number(module);
      const [, below = ''] = /\^FO\d+,(\d+)\^A0N,\d+\^TBN,\d+,\d+\^FH\\\^FD\(01\)/.exec(zpl) ?? [];
      expect(Number(x) + 20 * Number(module)).to.be.lessThan(40 * dots);
      expect(end).to.be.lessThan(Number(below) + 1);
      expect(Number(below)).to.be.lessThan(20 * dots);
      expect(Number(module) / dots).to.be.within(0.25, 0.5);
    }
    const linked = (await print(['SMALL'], { width_mm: 60, height_mm: 40, codes: 'link' })).body.data.zpl;
    expect(linked).not.to.include('^BX');
    expect(readLabel(linked).link).to.equal(`https://id.gs1.org/01/80614141123458/21/${before}`);
  });

  it('are made for all or for none', async () => {
    await make('LAST');
    const next = (await call({ path: '/serial-ranges' })).body.data[0].next_serial;
    expect((await print(['LAST', 'NOBODY'])).status).to.equal(404);
    await suite.database.rows('update serial_ranges set last_serial = next_serial - 1');
    expect((await print(['LAST'])).body.error.detail).to.match(/has 0 serial numbers left, and 1 are needed/);
    expect((await call({ path: '/serial-ranges' })).body.data[0].next_serial).to.equal(next);
    expect((await call({ path: '/assets?q=LAST' })).body.data[0].tags).to.deep.equal([]);
    expect(
      (await post('/labels', { ai: '00', base: '1234567', external_keys: ['LAST'], dpi: 203 })).status,
    ).to.equal(404);
  });

  it('lock tags behind passwords, which nobody but the printer is told', async () => {
    const given = { lock: 'by_password', access_password: 'A1B2C3D4', kill_password: '0BADF00D' };
    await make('LOCKED');
    await suite.database.rows('update serial_ranges set last_serial = 1000');
    const { zpl } = (await print(['LOCKED'], given)).body.data;
    expect(zpl).to.include('^RFW,H,P^FDA1B2C3D4,0BADF00D^FS\n^RLM,L,L,L,');
    expect((await print(['CRATE-1'], { lock: 'forever' })).body.data.zpl).to.include('^RLM,,,P,');
    for (const wrong of [{ lock: 'by_password' }, { access_password: '00000000' }, { dpi: 250 }]) {
      expect((await print(['CRATE-1'], wrong)).status, JSON.stringify(wrong)).to.equal(400);
    }
    const logged = JSON.stringify(await suite.database.rows('select * from changes'));
    expect(logged).to.include('draw_serials');
    expect(logged).not.to.match(/A1B2C3D4|0BADF00D/i);
  });

  it('are one asset with one history, whoever reads them in whatever notation', async () => {
    const site = Site.of(suite.database, suite.orgId);
    const pallets = { ai: '00', base: '10614141' };
    await post('/serial-ranges', {
      ...{ ...pallets, prefix_length: 7, filter: 2 },
      ...{ next_serial: 4, last_serial: 9 },
    });
    const id = await make('PALLET');
    const [label] = labelsOf(await post('/labels', { ...pallets, external_keys: ['PALLET'], dpi: 600 }));
    const reader = await site.reader('Gate', []);
    const reads = [
      ['PORTAL', 'rfid', label?.epc.toLowerCase()],
      ['HANDHELD', 'barcode', `]d2${label?.matrix}`],
      ['PHONE', 'barcode', label?.link],
    ] as const;
    const now = Date.now() * 1_000;
    for (const [index, [place, tagType, value = '']] of reads.entries()) {
      const locationId = await site.location(place);
      const at = now - (10 - index) * 60_000_000;
      const read = { orgId: suite.orgId, readerId: reader, locationId, at, value, tagType };
      await record(suite.database, [aRead(read)]);
    }
    const partner = await site.reader('Partner', [await site.location('PARTNER')], { format: 'epcis' });
    await suite.database.rows('update antennas set name = $1 where reader_id = $2', [PARTNER, partner]);
    const named = namedByEpc(label?.epc ?? '');
    await captured(suite, named && identifiersOf(named).epc_uri);
    const { data } = (await call({ path: `/assets/${id}/history` })).body;
    const places = data.map((row: { location_external_key: string }) => row.location_external_key);
    expect(places.sort()).to.deep.equal(['HANDHELD', 'PARTNER', 'PHONE', 'PORTAL']);
    expect((await call({ path: '/unknown-tags' })).body.total_count).to.equal(0);
  });
});
