import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startEmbedded } from '../../../db/timescale/embedded/server.ts';

describe('an embedded database that cannot start', () => {
  it('says why, by its log, and not how it was called', async () => {
    const data = mkdtempSync(join(tmpdir(), 'tagtrail-embedded-'));
    chmodSync(data, 0o711);
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const fault = await startEmbedded({ data, durable: false, port }).catch((error: Error) => error.message);
    taken.close();
    rmSync(data, { recursive: true });
    expect(fault)
      .to.match(/^The embedded database did not start: pg_ctl: could not start server/)
      .and.include('could not bind IPv4 address')
      .and.not.include('-c port=');
  });
});
