import { expect } from 'chai';
import { MessageAsRead, type ReadMessage } from '../../../domain/messages/message.ts';
import { countItems } from '../../../domain/messages/reader-counters.ts';
import {
  HeavyOrganizations,
  TooHeavy,
  Workload,
} from '../../../domain/tracking/location/heavy-organizations.ts';
import { ReaderLanes } from '../../../services/mqtt-ingest/intake/reader-lanes.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake } from '../../support/intake.ts';
import { STRENGTH, storeSettings } from '../../support/location-settings.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const SECOND = 1_000_000;

describe('an organization with a tag that was read three hundred times a second where strength decides', () => {
  const database = useDatabase();
  const now = Math.floor(Date.now() / 1_000) * SECOND;
  const day = now - 86_400 * SECOND;

  it('has the next messages of its readers recorded in a lane where no ordinary ones of others wait', async () => {
    const site = await Site.create(database, 'Dense');
    const { orgId } = site;
    const [here, there] = [await site.location('HERE'), await site.location('THERE')];
    const pallet = await site.asset('PALLET', 'E280');
    const readers = ['dense 1', 'dense 2'];
    const [readerId = 0] = await Promise.all(readers.map((name) => site.reader(name, [here, there])));
    await storeSettings(database, orgId, [
      { locationId: null, validFrom: day - 3_600 * SECOND, setting: STRENGTH },
    ]);
    await database.rows(
      `insert into scan_events
         (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value, reader_id, antenna)
       select $1, $2, case n % 2 when 0 then $3::integer else $4 end, time_of_micros($5::bigint + n * 3000), now(), false,
         'rfid', 'E280', $6, 1 + n % 2
       from generate_series(0, 20000) n`,
      [orgId, pallet, there, here, day, readerId],
    );
    await database.rows(
      `with position as (
         insert into positions (org_id, asset_id, location_id, since, last_seen, is_in_feed)
         values ($1, $2, $4, time_of_micros($3::bigint), time_of_micros($3::bigint + 60000000), true)
       )
       insert into location_transitions (org_id, asset_id, observed_at, location_id)
       values ($1, $2, time_of_micros($3::bigint), $4)`,
      [orgId, pallet, day, there],
    );
    const other = await Site.create(database, 'Other');
    const dock = await other.location('DOCK');
    const others = ['other 1', 'other 2', 'other 3', 'other 4'];
    await Promise.all(others.map((name) => other.reader(name, [dock])));

    const heavy = new HeavyOrganizations();
    const late = {
      orgId,
      readerId,
      value: 'E280',
      locationId: here,
      at: day + 30 * SECOND + 5,
      receivedAt: now,
    };
    const bounded = new Workload(heavy, { isBounded: true });
    const refused = await record(database, [aRead(late)], now, { workload: bounded }).catch(
      (error: unknown) => error,
    );
    expect(refused).to.be.instanceOf(TooHeavy).with.property('orgId', orgId);
    await record(database, [aRead(late)], now, { workload: new Workload(heavy, { isBounded: false }) });
    expect([heavy.isHeavy(orgId), heavy.isHeavy(other.orgId)]).to.deep.equal([true, false]);

    const { registry } = await openIntake(database);
    // Nothing is known of it yet to the second: the first batch with its messages finds out.
    for (const known of [heavy, new HeavyOrganizations()]) {
      const held = Promise.withResolvers<void>();
      const handed: string[] = [];
      const flush = async (messages: readonly ReadMessage[]) => {
        const topics = messages.map(({ topic }) => topic);
        handed.push(...topics);
        await (topics.some((topic) => topic.startsWith('dense')) ? held.promise : null);
        return messages.map((message) => ({ counts: countItems(message, [], null), rejections: [] }));
      };
      const lanes = new ReaderLanes({
        heavy: known,
        flush,
        flushBounded: async (messages) => {
          if (messages.some(({ reader }) => reader?.orgId === orgId)) {
            throw new TooHeavy(orgId);
          }
          return flush(messages);
        },
        isNamed: (error, { reader }) => error instanceof TooHeavy && error.orgId === reader?.orgId,
        isOutage: () => false,
      });
      const send = async (topic: string) => {
        const incoming = {
          topic,
          payload: Buffer.from('{}'),
          isDup: false,
          sender: topic,
          packetId: 1,
          isStale: false,
        };
        const mapped = { outcome: 'ignored', reason: 'a test' } as const;
        const message = new MessageAsRead(incoming, {
          reader: registry.byTopic(topic) ?? null,
          receivedAt: now,
          mapped,
        });
        await lanes.free(message);
        lanes.enter(message);
        await lanes.submit(message).finally(() => lanes.leave(message));
      };
      const own = readers.map(send);
      await Promise.all(others.map(send));
      held.resolve();
      await Promise.all(own);
      expect(handed.toSorted()).to.deep.equal([...readers, ...others]);
    }
  });
});
