import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import { parseNetworks } from '../../base/networks.ts';
import { openOrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { openPrinters, printOn } from '../../domain/labels/printers.ts';
import { useConsole } from '../support/console.ts';
import { Site } from '../support/site.ts';

const NETWORKS = parseNetworks('127.0.0.0/8') ?? [];

describe('printers of a site', () => {
  const suite = useConsole({ PRINTER_NETWORKS: NETWORKS });
  const { call } = suite;
  const post = (path: string, json: object, token = suite.token) =>
    call({ method: 'POST', path, json, token });
  const RANGE = { ai: '00', base: '10614141', prefix_length: 7, filter: 2, next_serial: 1, last_serial: 99 };
  const print = (keys: readonly string[], more: object) =>
    post('/labels', { ai: RANGE.ai, base: RANGE.base, external_keys: keys, dpi: 203, ...more });
  const nextSerial = async () => (await call({ path: '/serial-ranges' })).body.data[0].next_serial;

  /** On an address of its own, and port 9100 unless a program of this machine has that on every address. */
  let addresses = 0;
  const closing: (() => void)[] = [];
  async function aPrinter(name: string, serve: (socket: Socket) => void) {
    addresses += 1;
    const host = `127.9.${process.pid % 250}.${addresses}`;
    const server = createServer(serve);
    const listenAt = (port: number) => once(server.listen(port, host), 'listening');
    await listenAt(9100).catch(() => listenAt(9109));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const address = port === 9100 ? host : `${host}:${port}`;
    expect((await post('/printers', { name, address })).status).to.equal(200);
    return address;
  }

  /** What a printer got, connection by connection. */
  function taking(): { jobs: string[]; serve: (socket: Socket) => void } {
    const jobs: string[] = [];
    const serve = (socket: Socket) => {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('end', () => jobs.push(Buffer.concat(chunks).toString()));
      socket.write('status that nobody asked for');
    };
    return { jobs, serve };
  }

  before(async () => {
    expect((await post('/serial-ranges', RANGE)).status).to.equal(200);
    const site = Site.of(suite.database, suite.orgId);
    for (const key of ['P-1', 'P-2', 'P-3', 'P-4']) {
      await site.asset(key);
    }
  });
  after(() => {
    for (const close of closing) {
      close();
    }
  });

  it('are registered by administrators, within the networks that the operator has named', async () => {
    const operator = await suite.as('operator');
    const printer = { name: 'gate', address: '127.0.0.1:9101' };
    expect((await post('/printers', printer, operator)).status).to.equal(403);
    expect((await post('/printers', printer)).body.data).to.deep.equal(printer);
    expect((await call({ path: '/printers', token: operator })).body.data).to.deep.equal([printer]);
    expect((await call({ path: '/printers', token: await suite.as('viewer') })).status).to.equal(403);
    expect((await post('/printers', printer)).status).to.equal(409);
    for (const address of ['10.0.0.7', '169.254.169.254', '[::1]', '8.8.8.8', '2886794753']) {
      const refused = await post('/printers', { name: 'other', address });
      expect(refused.status, address).to.equal(400);
      expect(refused.body.error.detail, address).to.include('PRINTER_NETWORKS; ask the operator');
    }
    for (const address of ['127.0.0.1:6379', '127.0.0.1:25', 'a/b', 'u@127.0.0.1', 'http://127.0.0.1', '']) {
      expect((await post('/printers', { name: 'other', address })).status, address).to.equal(400);
    }
    for (const address of ['127.0.0.1:80', '127.0.0.1/', '127.0.0.1:', '127.0.0.1 ', '[::1]/']) {
      const refused = await post('/printers', { name: 'other', address });
      expect(refused.status, address).to.equal(400);
      expect(refused.body.error.detail, address).to.include('a port from 9100 to 9109 behind a colon');
    }
    const removed = (token: string) => call({ method: 'DELETE', path: '/printers/gate', token });
    expect((await removed(operator)).status).to.equal(403);
    expect((await removed(suite.token)).status).to.equal(204);
    expect((await removed(suite.token)).status).to.equal(404);
    expect((await print(['P-1'], { printer: 'gate' })).body.error.detail).to.equal('Printer gate not found');
    await suite.database.rows(
      `insert into printers (org_id, name, address) select $1, 'full-' || n, 'host' from generate_series(1, 100) n`,
      [suite.orgId],
    );
    expect((await post('/printers', printer)).body.error.detail).to.include('the maximum is 100');
    await suite.database.rows('delete from printers');
  });

  it('get labels, whose passwords no answer or log has', async () => {
    const { jobs, serve } = taking();
    await aPrinter('dock', serve);
    const secret = { lock: 'by_password', access_password: 'A1B2C3D4', kill_password: '0BADF00D' };
    const answer = await print(['P-1', 'P-2'], { printer: 'dock', ...secret });
    expect(answer.body.data).to.deep.equal({ zpl: null });
    expect(jobs).to.have.length(1);
    expect(jobs[0]?.match(/\^XA/g)).to.have.length(2);
    expect(jobs[0]).to.include('^RFW,H,P^FDA1B2C3D4,0BADF00D^FS');
    const logged = JSON.stringify(await suite.database.rows('select * from changes'));
    expect(logged).to.include('add_printer').and.to.include('draw_serials');
    expect(logged).not.to.match(/A1B2C3D4|0BADF00D/i);
  });

  it('cost no serial numbers while they are off', async () => {
    const before = await nextSerial();
    await post('/printers', { name: 'off', address: '127.9.9.9:9109' });
    const answer = await print(['P-3'], { printer: 'off' });
    expect(answer.status).to.equal(409);
    expect(answer.body.error.detail).to.match(
      /^Printer off at 127.9.9.9:9109 does not answer; see that it is on/,
    );
    expect(await nextSerial()).to.equal(before);
  });

  it('print a number again that a printer failed on, for the same asset', async () => {
    await aPrinter('jammed', (socket) => socket.once('data', () => socket.resetAndDestroy()));
    const before = await nextSerial();
    const failed = await print(['P-3'], { printer: 'jammed' });
    expect(failed.status).to.equal(409);
    expect(failed.body.error.detail).to.match(
      /^Printer jammed at .* did not take all labels. The assets keep their numbers: .* print again what is missing/,
    );
    const { zpl } = (await print(['P-3'], {})).body.data;
    expect(zpl).to.include(`https://id.gs1.org/00/1061414100000000${before}`);
    const other = (await print(['P-4'], {})).body.data.zpl;
    expect(other).to.include(`https://id.gs1.org/00/1061414100000000${before + 1}`);
  });

  it('are reached where their name leads only if all its addresses are allowed', async () => {
    const door = openOrganizationDoor(suite.database.url, { max: 1 });
    const db = door.of(suite.orgId);
    await post('/printers', { name: 'named', address: 'labels.example.com' });
    const parts = { ...openPrinters(NETWORKS), resolve: async () => ['127.0.0.1', '10.0.0.1'] };
    let isMade = false;
    const job = printOn(db, 'named', parts, async () => {
      isMade = true;
      return { zpl: '' };
    });
    const error = await job.catch((thrown: Error) => thrown);
    expect(error).to.have.property('message').that.includes('10.0.0.1 is in no network of PRINTER_NETWORKS');
    expect(isMade).to.equal(false);
    await door.end();
  });

  it('that end the connection before they get the labels fail the job at once, and nothing else', async () => {
    const door = openOrganizationDoor(suite.database.url, { max: 1 });
    for (const end of ['resetAndDestroy', 'end'] as const) {
      const { promise: connected, resolve } = Promise.withResolvers<Socket>();
      await aPrinter(`gone-by-${end}`, (socket) => resolve(socket.resume()));
      const job = printOn(door.of(suite.orgId), `gone-by-${end}`, openPrinters(NETWORKS), async () => {
        const socket = await connected;
        socket[end]();
        await once(socket, 'close');
        await nextRound();
        await nextRound();
        return { zpl: '^XA^XZ' };
      });
      const fault = await job.catch((error: Error) => error.message);
      expect(fault, end).to.include('did not take all labels').and.not.to.include('Not taken within');
    }
    await door.end();
  });

  it('that are slow keep only their own organization waiting', async () => {
    const address = await aPrinter('slow', taking().serve);
    const otherOrg = await suite.people.organization();
    await suite.database.rows('insert into printers (org_id, name, address) values ($1, $2, $3)', [
      ...[otherOrg, 'slow', address],
    ]);
    const door = openOrganizationDoor(suite.database.url, { max: 2 });
    const parts = openPrinters(NETWORKS);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const slow = Array.from({ length: 12 }, () =>
      printOn(door.of(suite.orgId), 'slow', parts, async () => {
        await held;
        return { zpl: '^XA^XZ' };
      }),
    );
    const oneMore = printOn(door.of(suite.orgId), 'slow', parts, async () => ({ zpl: '' }));
    expect(await oneMore.catch((error: Error) => error.message)).to.include('Not printed: other jobs');
    await printOn(door.of(otherOrg), 'slow', parts, async () => ({ zpl: '^XA^XZ' }));
    release();
    await Promise.all(slow);
    await door.end();
  });
});
