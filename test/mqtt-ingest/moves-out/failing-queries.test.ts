import { expect } from 'chai';
import { pino } from 'pino';
import type { Message } from '../../../services/mqtt-ingest/moves-out/messages.ts';
import { publishMoves } from '../../../services/mqtt-ingest/moves-out/publish-moves.ts';
import { useDatabase } from '../../support/database.ts';
import { place } from '../../support/placed.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe("a query of one organization's that fails", () => {
  const database = useDatabase();
  const stops: (() => Promise<void>)[] = [];
  database.beforeDrop(async () => {
    await Promise.all(stops.map((stop) => stop()));
  });

  it('holds up its own moves only, on the same connection, and they are all published once it works', async () => {
    // Organizations are served in the order of their ids.
    const [bad, good] = [await Site.create(database, 'Bad'), await Site.create(database, 'Good')];
    const [pallet, crate] = [await bad.asset('PALLET'), await good.asset('CRATE')];
    const [here, there] = [await bad.location('HERE'), await good.location('THERE')];
    const sent: Message[] = [];
    const log: { msg: string; orgId?: number }[] = [];
    let opened = 0;
    const { stop } = publishMoves({
      databaseUrl: database.url,
      to: { prefix: 'site', homeAssistant: null },
      broker: 'test',
      openSink: async () => {
        opened += 1;
        return {
          publish: async (messages) => {
            sent.push(...messages);
          },
          close: () => {},
        };
      },
      log: pino({ level: 'info' }, { write: (line) => log.push(JSON.parse(line)) }),
      again: { first: 20, longest: 100 },
    });
    stops.push(stop);
    await until(
      async () => (await database.rows('select from mqtt_feeds where snapshot_after is null')).length === 2,
    );
    await database.rows(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;
       create trigger refuse before insert on mqtt_topics for each row when (new.org_id = ${bad.orgId})
         execute function refuse()`,
    );
    const placeAt = ({ orgId }: Site, assetId: number, locationId: number, minute: number) =>
      place(database, orgId, { assetId, locationId, since: `2026-05-01T10:${minute}:00Z` });
    const minutesOf = ({ orgId }: Site) =>
      sent.flatMap(({ topic, payload }) =>
        topic.startsWith(`site/${orgId}/`) ? [Number(JSON.parse(payload).since.slice(14, 16))] : [],
      );
    const faults = () => database.rows('select org_id, topic, reason from publishing_faults');
    const logged = (part: string) => log.flatMap(({ msg, orgId }) => (msg.includes(part) ? [orgId] : []));

    await placeAt(bad, pallet, here, 10);
    await until(async () => (await faults()).length > 0);
    for (const minute of [10, 11]) {
      await placeAt(good, crate, there, minute);
      await until(() => minutesOf(good).at(-1) === minute);
    }
    await placeAt(bad, pallet, here, 11);
    expect(await faults()).to.deep.equal([{ org_id: bad.orgId, topic: null, reason: 'not this one' }]);
    expect(minutesOf(bad)).to.deep.equal([]);
    await database.rows('drop trigger refuse on mqtt_topics');
    await until(async () => minutesOf(bad).at(-1) === 11 && (await faults()).length === 0);
    expect([minutesOf(bad), minutesOf(good), opened]).to.deep.equal([[10, 11], [10, 11], 1]);
    expect([logged('a query fails'), logged('are published again')]).to.deep.equal([
      [bad.orgId],
      [bad.orgId],
    ]);
  });
});
