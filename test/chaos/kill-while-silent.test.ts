import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { connectReader } from '../support/ingest.ts';
import { itByNight } from '../support/random-sets.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { IngestProgram } from './ingest-program.ts';
import { WorkerProgram } from './worker-program.ts';

const KILLS = 4;

describe('a reader that says nothing, while ingestion and the process that derives silences are killed', () => {
  const database = useDatabase();
  let ingest: IngestProgram;
  let worker: WorkerProgram;
  let client: MqttClient | undefined;
  after(async () => {
    await client?.endAsync(true);
    await Promise.all([ingest.kill(), worker.kill()]);
  });

  const silences = (readerId: number) =>
    database.rows<{ since: number; until: number | null }>(
      `select micros_of_time(started_at) as since, micros_of_time(ended_at) as until from reader_spans
       where reader_id = $1 and state = 'silent' order by started_at`,
      [readerId],
    );
  const derivations = async () =>
    (await database.rows('select derived_by, derived_to from silence_derivation'))[0];

  itByNight(
    'is silent once, from when it was due in the time that was watched, to its next message',
    async () => {
      const site = await Site.create(database);
      const [quiet, never] = [await site.reader('quiet', []), await site.reader('never', [])];
      // Ten of the fifteen seconds were watched before the first start.
      await database.rows(
        `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
       select org_id, id, 'set', now() - interval '1 day', 15 from readers`,
      );
      await database.rows(
        `insert into reader_counters (org_id, reader_id, last_message_at, heard_since, heard_until, heard_messages)
       select $1, $2, at, at, at, 1 from (select now() - interval '10 seconds' as at) heard`,
        [site.orgId, quiet],
      );
      await database.rows(
        `insert into intake_watches values (gen_random_uuid(), now() - interval '1 day', now())`,
      );
      const port = await freePort();
      ingest = IngestProgram.embedded(port, { DATABASE_URL: database.url });
      worker = new WorkerProgram({ DATABASE_URL: database.url });
      const start = () => Promise.all([ingest.startUntilReady(), worker.startUntilReady()]);
      const kill = () => Promise.all([ingest.kill(), worker.kill()]);
      for (let kills = 0; kills < KILLS; kills++) {
        const before = await derivations();
        await start();
        await until(async () => (await derivations())?.['derived_by'] !== before?.['derived_by']);
        await kill();
      }
      await start();
      await until(async () => (await silences(quiet)).length > 0);
      const [first] = await silences(quiet);
      const [due] = await database.rows<{ watched: number }>(
        `select round(extract(epoch from sum(least(ended_at, time_of_micros($2)) - greatest(started_at, heard_until))))::integer
         as watched
       from intake_watches, reader_counters
       where reader_id = $1 and ended_at > heard_until and started_at < time_of_micros($2)`,
        [quiet, first?.since],
      );
      expect(due?.watched).to.equal(15);
      await kill();
      await start();

      client = connectReader(port, 'quiet', {});
      await client.publishAsync('quiet', 'anything', { qos: 1 });
      await until(async () => (await silences(quiet))[0]?.until !== null);
      const [counted] = await database.rows<{ since: number }>(
        'select micros_of_time(heard_since) as since from reader_counters where reader_id = $1',
        [quiet],
      );
      expect(await silences(quiet)).to.deep.equal([{ since: first?.since, until: counted?.since }]);
      expect(await silences(never)).to.deep.equal([]);
    },
  );
});
