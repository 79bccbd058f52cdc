import { connected, connectReader } from '../../support/ingest.ts';
import { quantile, show, spreadOf } from '../../support/statistics.ts';
import { interleaved } from '../interleaved.ts';
import { committed, untilCommitted } from './counters.ts';
import { HALL_PROCEDURES, type Hall, hallSpan, MASTS, makeHall } from './hall.ts';
import { type Installation, install } from './installation.ts';
import type { IngestOptions } from './options.ts';
import { preparePublishers } from './publish.ts';
import { copySite, createSite, onServer } from './site.ts';

interface Load {
  name: string;
  hall: Hall;
  reads: number;
  /** Messages a second; null for as many as there can be. */
  rate: number | null;
  /** Of each reader, messages that await their acknowledgement. */
  window: number;
}

const READS_A_MESSAGE = 50;

/** Milliseconds: how long it is quiet before, and the pause between two publishes of the other organization. */
const QUIET = 5_000;
const PAUSE = 10;

/**
 * What a publish of another organization takes beside a hall: 2,000 assets at an even rate, and the worst one asset can do,
 * 50 reads a second at each of 12 antennas, as they are made and when they come all at once afterwards.
 */
export async function benchBesideHall(serverUrl: string, options: IngestOptions): Promise<void> {
  const crowd = { assets: 2_000, hertz: 2 };
  const worst = { assets: 1, hertz: 50 };
  const loads: Load[] = [
    {
      name: `2,000 assets, ${options.hallRate} reads/s`,
      hall: crowd,
      reads: options.hallRate * 30,
      rate: options.hallRate / READS_A_MESSAGE,
      window: 50,
    },
    {
      name: 'one asset, 50 reads/s at each of 12 antennas, for half a minute',
      hall: worst,
      reads: 30 * worst.hertz * MASTS,
      rate: (worst.hertz * MASTS) / READS_A_MESSAGE,
      window: 50,
    },
    {
      name: `the same, ${options.hallMinutes} minutes at once`,
      hall: worst,
      reads: options.hallMinutes * 60 * worst.hertz * MASTS,
      rate: null,
      window: 4,
    },
  ];
  const original = await createSite(serverUrl, options.history[0] ?? 1e5);
  try {
    await onServer(original.url, async (client) => void (await client.query(OTHER)));
    for (const load of loads.filter(({ rate }) => rate !== 0)) {
      const measurements = HALL_PROCEDURES.map((procedure): [string, () => Promise<Beside>] => [
        procedure,
        async () => {
          // In a new database each: what is left of one does not burden the next.
          const site = await copySite(serverUrl, original, procedure);
          await makeHall(site.url, procedure);
          const installation = await install(site, ['embedded']);
          try {
            return await measureBeside(installation, load);
          } finally {
            await installation.stop();
            await site.drop();
          }
        },
      ]);
      console.log(`\n${load.name}; ms of another organization's publish`);
      const results = await interleaved(options.repetitions, Object.fromEntries(measurements));
      for (const [procedure, runs] of Object.entries(results)) {
        report(procedure, runs);
      }
    }
  } finally {
    await original.drop();
  }
}

/** Sorted, in milliseconds. */
interface Beside {
  quiet: number[];
  beside: number[];
  readsPerSecond: number;
}

async function measureBeside({ client, sources }: Installation, load: Load): Promise<Beside> {
  const port = sources.embedded?.port ?? 0;
  const messages = Math.ceil(load.reads / READS_A_MESSAGE / MASTS) * MASTS;
  const reads = messages * READS_A_MESSAGE;
  const publishers = await preparePublishers({
    ...{ port, window: load.window, rate: load.rate },
    traffic: {
      readers: Array.from({ length: MASTS }, (_, reader) => reader),
      ...{ messages, readsPerMessage: READS_A_MESSAGE, assets: load.hall.assets, late: 0, poison: 0 },
      ...{ hall: load.hall, start: Date.now() - hallSpan(load.hall, reads), seed: Date.now() },
    },
  });
  const other = connectReader(port, 'other');
  await connected(other);
  const publishUntil = async (isOver: () => boolean) => {
    const took: number[] = [];
    while (!isOver()) {
      const since = performance.now();
      await other.publishAsync('other', JSON.stringify({ value: 'OTHER', rssi: -50 }), { qos: 1 });
      took.push(performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    return took.sort((a, b) => a - b);
  };
  const since = performance.now();
  const quiet = await publishUntil(() => performance.now() - since > QUIET);
  const before = await committed(client);
  const begun = performance.now();
  let isOver = false;
  const beside = publishUntil(() => isOver);
  await publishers.start();
  const seconds = (performance.now() - begun) / 1_000;
  isOver = true;
  const took = await beside;
  const after = await untilCommitted(client, before.messages + messages + took.length);
  await other.endAsync();
  if (after.reads - before.reads !== reads + took.length) {
    throw new Error(`${after.reads - before.reads} reads arrived, not ${reads + took.length}`);
  }
  return { quiet, beside: took, readsPerSecond: reads / seconds };
}

function report(procedure: string, runs: readonly Beside[]): void {
  const at = (pick: (run: Beside) => number[], share: number) =>
    show(spreadOf(runs.map((run) => quantile(pick(run), share))), 1);
  const [quiet, beside] = [(run: Beside) => run.quiet, (run: Beside) => run.beside];
  console.log(`  ${procedure}, ${show(spreadOf(runs.map((run) => run.readsPerSecond)), 0)} reads/s`);
  console.log(`    quiet  p50 ${at(quiet, 0.5)}   p99 ${at(quiet, 0.99)}   longest ${at(quiet, 1)}`);
  console.log(`    beside p50 ${at(beside, 0.5)}   p99 ${at(beside, 0.99)}   longest ${at(beside, 1)}`);
  const times = (run: Beside) => quantile(run.beside, 0.99) / quantile(run.quiet, 0.99);
  console.log(`    p99 beside to p99 quiet ${show(spreadOf(runs.map(times)), 2)}`);
}

/** Another organization, with a reader whose user name and password are its name. */
const OTHER = `with org as (
    insert into organizations (name) values ('Other') returning id
  ), place as (
    insert into locations (org_id, external_key, name) select id, 'OTHER', 'Other' from org returning org_id, id
  ), reader as (
    insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
    select id, 'other', 'other', 'tagtrail', 'other', sha256(convert_to('other', 'UTF8')) from org returning org_id, id
  ), antenna as (
    insert into antennas (org_id, reader_id, port, location_id)
    select reader.org_id, reader.id, 1, place.id from reader, place
  ), asset as (
    insert into assets (org_id, external_key, name) select id, 'OTHER', 'Other' from org returning org_id, id
  )
  insert into tags (org_id, tag_type, value, tag_key, asset_id) select org_id, 'rfid', 'OTHER', 'OTHER', id from asset`;
