import { expect } from 'chai';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { startEmbedded } from '../../../db/timescale/embedded/server.ts';
import type { Finding } from '../../../domain/health/finding.ts';
import { examineServer } from '../../../domain/health/server.ts';
import { useDataFolders } from '../../support/embedded-folder.ts';

describe('the durability of a database server', () => {
  const folders = useDataFolders();

  const examine = async (url: string): Promise<Finding | undefined> => {
    const pool = createWritePool(url, { max: 1, applicationName: 'test' });
    try {
      return (await examineServer(pool, Date.now)).find(({ check }) => check === 'durability');
    } finally {
      await pool.end();
    }
  };

  it('is no fault of one that was started for disposable data, but for what it was not started with', async () => {
    const server = await startEmbedded({ data: folders.path('disposable'), durable: false });
    try {
      const found = await examine(server.url);
      expect(found?.status).to.equal('ok');
      expect(found?.message).to.include('throw-away data');
      const other = new URL(server.url);
      other.searchParams.set('options', '-c synchronous_commit=off');
      expect((await examine(String(other)))?.message).to.match(/^synchronous_commit is off/);
    } finally {
      await server.stop();
    }
  });

  it('is all there in one that was started for data to be kept', async () => {
    const server = await startEmbedded({ data: folders.path('kept'), durable: true });
    try {
      expect(await examine(server.url)).to.include({ status: 'ok', remedy: null });
    } finally {
      await server.stop();
    }
  });
});
