import { expect } from 'chai';
import { requireReachable } from '../../../platform/runtime/database.ts';
import { openCountingProxy } from '../../support/counting-proxy.ts';
import { useDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';

describe('the way to the database', () => {
  const database = useDatabase();

  it('is looked at by the two connections that finding a pooler takes, and once by a process', async () => {
    const proxy = await openCountingProxy(database);
    await Promise.all([requireReachable(proxy.url), requireReachable(proxy.url)]);
    await requireReachable(proxy.url);
    expect(proxy.connections()).to.equal(2);
  });

  it('is named where it leads nowhere, without the password', async () => {
    const port = await freePort();
    const error = await requireReachable(`postgres://ada:secret@127.0.0.1:${port}/none`).catch(
      (each) => each,
    );
    expect(error)
      .to.include({ code: 'unavailable' })
      .and.to.have.property('message')
      .that.matches(
        /^The database at DATABASE_URL \(127\.0\.0\.1:\d+\/none\) cannot be reached: .*ECONNREFUSED/,
      );
  });
});
