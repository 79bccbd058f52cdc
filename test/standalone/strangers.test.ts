import { readFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { HOSTILE, HOSTILE_KINDS, type HostileKind } from '../support/hostile-sockets.ts';
import { type Program, run } from '../support/process.ts';
import { publishAnew } from '../support/publish-anew.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

/** Milliseconds; on a slow machine, times as long as before anybody came. */
const LONGEST_KEPT_OUT = 5_000;
const TIMES_AS_LONG = 100;

describe('strangers at everything in one process', () => {
  const database = useDatabase();
  const sockets: Socket[] = [];
  let program: Program;
  let mqtt: number;
  let api: string;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [await site.location('DOCK')]);
    mqtt = await freePort();
    program = run('services/standalone/main.ts', [], {
      DATABASE_URL: database.url,
      MQTT_PORT: String(mqtt),
      API_PORT: '0',
      HANDHELD_PORT: '0',
      CONSOLE_PORT: '0',
      READERS_PORT: '0',
    });
    database.beforeDrop(async () => {
      program.child.kill('SIGKILL');
      await program.ended;
    });
    await program.printed('Database');
    [api = ''] = /http:\S+(?=\/api\/v1)/.exec(program.stdout()) ?? [];
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) {
      socket.destroy();
    }
  });

  function open(port: number): Socket {
    const socket = createConnection(port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    sockets.push(socket);
    return socket;
  }
  const publish = () => publishAnew(mqtt, 'E2801160');
  const longest = async () => {
    const times = [];
    for (let number = 0; number < 5; number++) {
      times.push(await publish());
    }
    const [, , median = 0] = times.sort((a, b) => a - b);
    return Math.max(LONGEST_KEPT_OUT, TIMES_AS_LONG * median);
  };
  /** The most memory it ever had, in MiB. */
  const peak = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${program.child.pid}/status`, 'utf8'))?.[1]) / 1024;

  it('make it grow by less than what forty may send before they sign in, though each sends 16 MiB', async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    await publish();
    const before = peak();
    // A CONNECT whose will has 16 MiB, less than MQTT allows; and the same as a PUBLISH.
    for (let number = 0; number < 40; number++) {
      const socket = open(mqtt);
      let isClosed = false;
      socket.once('close', () => {
        isClosed = true;
      });
      socket.write(Buffer.from([number % 2 === 0 ? 0x10 : 0x30, 0xff, 0xff, 0xff, 0x07]));
      socket.write(Buffer.alloc(16 * 1024 * 1024));
      await until(() => isClosed || socket.writableLength === 0);
    }
    await publish();
    // Forty times 64 KiB, and what Node.js takes to read; forty times 16 MiB would be 640.
    expect(peak() - before).to.be.lessThan(80);
  });

  it('keep no reader and no client out with thousands of idle sockets at every port', async () => {
    const most = await longest();
    const handhelds = Number(/Handhelds +http:\S+:(\d+)/.exec(program.stdout())?.[1]);
    for (const port of [mqtt, Number(new URL(api).port), handhelds]) {
      for (let number = 0; number < 2_500; number++) {
        open(port);
      }
    }
    await until(() => sockets.every(({ connecting }) => !connecting));
    expect(await publish()).to.be.lessThan(most);
    await until(async () => (await fetch(`${api}/readyz`)).status === 200);
  });

  it('keep no reader of their own address out for more than 5 s, or 100 times as long as before, though 10,000 come, idle or hostile in six ways', async () => {
    const most = await longest();
    const come = async (count: number, kinds: HostileKind[]) => {
      for (let number = 0; number < count; number++) {
        const socket = open(mqtt);
        socket.once('connect', () => HOSTILE[kinds[number % kinds.length] ?? 'say nothing'](socket));
      }
      await until(() => sockets.every(({ connecting }) => !connecting));
    };
    const staying: HostileKind[] = ['say nothing', 'dribble a CONNECT'];
    await come(
      7_500,
      HOSTILE_KINDS.filter((kind) => !staying.includes(kind)),
    );
    await come(2_500, staying);
    expect(await publish()).to.be.lessThan(most);
  });
});
