import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { byTurns } from '../support/random-sets.ts';
import { isServerRunning, stop, useStandalone } from './use-standalone.ts';

describe('everything in one process where it cannot start', () => {
  const system = useStandalone();

  it('refuses to run twice on one folder, and leaves the first alone', async () => {
    const first = await system.start();
    await first.printed('Try it');
    const second = await system.start();
    expect(await second.ended).to.equal(1);
    expect(second.stderr()).to.match(/^tagtrail is already running on TAGTRAIL_DATA .*\n$/);
    expect(isServerRunning(system.data)).to.equal(true);
    expect(await stop(first)).to.equal(0);
  });

  it('names every setting that is wrong, and starts nothing', async () => {
    const program = await system.start({ API_PORT: '80800', LOG_LEVEL: 'loud', LATENESS_DAYS: '-1' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr().trim().split('\n')).to.have.lengthOf(3);
    expect(program.stderr()).to.include('API_PORT').and.include('LOG_LEVEL').and.include('LATENESS_DAYS');
    expect(isServerRunning(system.data)).to.equal(false);
  });

  it('wants scans kept for as long as they may be late', async () => {
    const program = await system.start({ SCAN_RETENTION_DAYS: '7' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.include('SCAN_RETENTION_DAYS is 7').and.include('LATENESS_DAYS');
  });

  it('names the port that is taken, whichever it is, and leaves nothing running', async () => {
    const { server, port } = await takenPort();
    const settings = ['API_PORT', 'MQTT_PORT', 'READERS_PORT', 'HANDHELD_PORT', 'CONSOLE_PORT'];
    for (const setting of byTurns(settings, 'port')) {
      const program = await system.start({ [setting]: String(port) });
      expect(await program.ended).to.equal(1);
      expect(program.stderr()).to.equal(
        `${setting} ${port} on 127.0.0.1 is already in use; stop the program that listens there, or set ${setting}\n`,
      );
      expect(isServerRunning(system.data)).to.equal(false);
    }
    server.close();
  });

  it('names DATABASE_URL where there is no database', async () => {
    const program = await system.start({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.match(
      /^The database at DATABASE_URL \(127\.0\.0\.1:1\/none\) cannot be reached.*\n$/,
    );
  });
});

async function takenPort(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}
