import type pg from 'pg';
import { backendsOf, timeSince, timesOf } from '../../support/processor-time.ts';
import { bareCopy } from './bare-copy.ts';
import { committed, untilCommitted } from './counters.ts';
import { type Hall, hallSpan, MASTS } from './hall.ts';
import type { Installation, SourceName } from './installation.ts';
import { preparePublishers } from './publish.ts';
import { placesOf, READERS } from './site.ts';
import type { LateKind } from './traffic.ts';

/** What is sent in one measurement, and how. */
export interface Variant {
  name: string;
  source: SourceName;
  readsPerMessage: number;
  late: number;
  poison: number;
  /** As of the traffic. */
  lateKind?: LateKind;
  moves?: number;
  /** Assets are where they were read last, so that those reads and no others are moves. */
  isContinued?: boolean;
  /** Reads are observed when they are sent: what was planned may be long ago by then, and late. */
  isStamped?: boolean;
  readings?: number;
  /** As of the traffic; what is heard there ends now. */
  hall?: Hall;
}

export interface Run {
  reads: number;
  /** Reads a second, from the first publish until the last commit is seen. */
  perSecond: number;
  /** The same rows a second by COPY. */
  copied: number;
  /**
   * Microseconds of processor time a read: of ingestion and broker, of the database, sealing included, and of the database
   * for COPY.
   */
  nodeTime: number;
  databaseTime: number;
  copyTime: number;
}

/** What ingestion calls its connections. */
const INGEST = ['tagtrail ingest', 'tagtrail sealer'];

async function backendsOfIngestion(client: pg.Client): Promise<number[]> {
  return (await Promise.all(INGEST.map((application) => backendsOf(client, application)))).flat();
}

/** Until the feed has all that was told. */
export async function untilSealed(client: pg.Client): Promise<void> {
  while ((await client.query('select from unsealed_moves limit 1')).rowCount !== 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Messages of a reader that await their acknowledgement, at the most. */
const WINDOW = 50;

/**
 * Publishes `reads` reads as fast as can be, and copies the rows they made into `copyUrl` in one COPY.
 *
 * @param afterwards what follows from the reads: it counts for processor time, not for the rate.
 */
export async function run(
  { site, client, sources }: Installation,
  copyUrl: string,
  { source, readsPerMessage, late, poison, isContinued = false, isStamped = false, ...as }: Variant,
  reads: number,
  afterwards = async () => {},
): Promise<Run> {
  const { port, pids } = sources[source] ?? { port: 0, pids: [] };
  const readers = as.hall === undefined ? READERS : MASTS;
  const messages = Math.ceil(reads / readsPerMessage / readers) * readers;
  const since = new Date();
  const span = as.hall === undefined ? 0 : hallSpan(as.hall, messages * readsPerMessage);
  const publishers = await preparePublishers({
    port,
    window: WINDOW,
    rate: null,
    isStamped,
    traffic: {
      readers: Array.from({ length: readers }, (_, reader) => reader),
      messages,
      readsPerMessage,
      assets: site.assets,
      late,
      poison,
      ...as,
      ...(isContinued ? { places: await placesOf(client) } : {}),
      start: since.getTime() - span,
      seed: since.getTime(),
    },
  });
  const before = await committed(client);
  const backends = timesOf(await backendsOfIngestion(client));
  const processes = timesOf(pids);
  const start = performance.now();
  const published = publishers.start();
  const after = await untilCommitted(client, before.messages + messages);
  const seconds = (performance.now() - start) / 1_000;
  await untilSealed(client);
  await afterwards();
  const node = timeSince(processes, pids);
  const database = timeSince(backends, await backendsOfIngestion(client));
  await published;
  const recorded = after.recorded - before.recorded;
  const copy = await bareCopy(client, copyUrl, since);
  if (recorded !== after.reads - before.reads || copy.rows !== recorded) {
    throw new Error(
      `${recorded} of ${after.reads - before.reads} reads were recorded, ${copy.rows} rows copied`,
    );
  }
  return {
    reads: recorded,
    perSecond: recorded / seconds,
    copied: copy.rows / copy.seconds,
    nodeTime: (node * 1e6) / recorded,
    databaseTime: (database * 1e6) / recorded,
    copyTime: (copy.processorTime * 1e6) / copy.rows,
  };
}
