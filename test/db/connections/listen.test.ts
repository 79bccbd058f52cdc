import { expect } from 'chai';
import { listen } from '../../../db/timescale/connections/listen.ts';
import { useDatabase } from '../../support/database.ts';
import { Link, targetOf } from '../../support/link.ts';

describe('listening to notifications', () => {
  const database = useDatabase();

  it('hears what is announced, on its channels only', async () => {
    const heard = Promise.withResolvers<string[]>();
    const listener = await listen(database.url, ['one', 'two'], {
      onNotify: (...notification) => heard.resolve(notification),
      onReconnect: () => {},
      onLost: heard.reject,
    });
    await database.rows(`select pg_notify('three', ''), pg_notify('two', 'news')`);
    expect(await heard.promise).to.deep.equal(['two', 'news']);
    await listener.close();
  });

  it('tells until when it has heard everything', async () => {
    let heard = 0;
    const handlers = { onNotify: () => heard++, onReconnect: () => {}, onLost: () => {} };
    const listener = await listen(database.url, ['one'], handlers, { questionEvery: 1 });
    for (let announced = 1; announced <= 200; announced++) {
      await database.rows(`select pg_notify('one', $1)`, [String(announced)]);
      const since = performance.now();
      while (listener.heardUntil() < since) {
        listener.ask();
        await new Promise(setImmediate);
      }
      expect(heard).to.equal(announced);
    }
    await listener.close();
  });

  it('asks for that often only while somebody does', async () => {
    let heard = 0;
    const handlers = { onNotify: () => {}, onReconnect: () => {}, onLost: () => {}, onHeard: () => heard++ };
    const listener = await listen(database.url, ['one'], handlers, { questionEvery: 10 });
    await database.rows('select pg_sleep(1.5)');
    expect(heard).to.be.below(10);
    const since = performance.now();
    listener.ask();
    while (listener.heardUntil() < since) {
      await new Promise(setImmediate);
    }
    await listener.close();
  });

  it('says that it hears nothing when the connection is lost, connects again, says so and hears again', async () => {
    const lost = Promise.withResolvers<Error>();
    const back = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<string>();
    const listener = await listen(database.url, ['one'], {
      onNotify: (_, payload) => heard.resolve(payload),
      onReconnect: back.resolve,
      onLost: lost.resolve,
    });
    await database.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'tagtrail listen'`,
    );
    expect(await lost.promise).to.be.instanceOf(Error);
    expect(listener.isConnected()).to.equal(false);
    await back.promise;
    expect(listener.isConnected()).to.equal(true);
    await database.rows(`select pg_notify('one', 'again')`);
    expect(await heard.promise).to.equal('again');
    await listener.close();
  });

  it('notices that nothing comes any more, on a connection that looks alive', async () => {
    const link = await Link.open(targetOf(database.url));
    const lost = Promise.withResolvers<Error>();
    const back = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<string>();
    const listener = await listen(link.by(database.url), ['one'], {
      onNotify: (_, payload) => heard.resolve(payload),
      onReconnect: back.resolve,
      onLost: lost.resolve,
    });
    link.abandon();
    expect(await lost.promise).to.have.property('message', 'Query read timeout');
    await back.promise;
    await database.rows(`select pg_notify('one', 'again')`);
    expect(await heard.promise).to.equal('again');
    await listener.close();
    await link.close();
  });
});
