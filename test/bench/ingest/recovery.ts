import { setTimeout as pause } from 'node:timers/promises';
import { memoryOf } from '../../support/processor-time.ts';
import { show, spreadOf } from '../../support/statistics.ts';
import { committed, untilCommitted } from './counters.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { type Installation, install, type SourceName } from './installation.ts';
import type { IngestOptions } from './options.ts';
import { type BenchSite, copySite, createSite } from './site.ts';
import { halfOfTheMost, type SteadyLoad, startSteadyLoad } from './steady-load.ts';

/** How soon ingestion commits again after it was killed and started anew, and after the database is back. */
export async function benchRecovery(serverUrl: string, options: IngestOptions): Promise<void> {
  await underLoad('mosquitto', serverUrl, options, 20 * options.repetitions, async ({ installed, proxy }) => {
    const afterKill: number[] = [];
    const afterOutage: number[] = [];
    for (let round = 0; round < options.repetitions; round++) {
      await installed.subscriber?.stop('SIGKILL');
      afterKill.push(await firstCommit(installed, async () => void (await restart(installed))));
      await pause(2_000);
      proxy.cut();
      await pause(3_000);
      afterOutage.push(await firstCommit(installed, async () => proxy.mend()));
      await pause(2_000);
    }
    console.log('\nFirst commit, ms (mosquitto, at half load)');
    console.log(`  after a kill, the process started at once  ${show(spreadOf(afterKill), 0)}   target 2000`);
    console.log(
      `  after 3 s without database                 ${show(spreadOf(afterOutage), 0)}   target 3000`,
    );
  });
}

/** What ingestion holds while the database is away, and how fast it makes up for it. */
export async function benchOutage(serverUrl: string, options: IngestOptions): Promise<void> {
  for (const source of options.sources) {
    await benchOutageOf(source, serverUrl, options);
  }
}

async function benchOutageOf(source: SourceName, serverUrl: string, options: IngestOptions): Promise<void> {
  const seconds = options.outage;
  await underLoad(source, serverUrl, options, 4 * seconds + 60, async ({ installed, proxy, load }) => {
    const pid = installed.sources[source]?.pids.at(-1) ?? 0;
    const before = await committed(installed.client);
    const memoryBefore = memoryOf(pid);
    const start = performance.now();
    proxy.cut();
    let most = memoryBefore;
    while (performance.now() - start < seconds * 1_000) {
      await pause(200);
      most = Math.max(most, memoryOf(pid));
    }
    const during = await committed(installed.client);
    const mostWithout = most;
    const back = performance.now();
    proxy.mend();
    // Made up for when what is committed has caught up with what is published since.
    let drained = 0;
    for (;;) {
      const { messages } = await committed(installed.client);
      const published = load.rate * ((performance.now() - start) / 1_000);
      most = Math.max(most, memoryOf(pid));
      drained = messages - during.messages;
      if (messages - before.messages >= published - load.rate / 2) {
        break;
      }
      await pause(20);
    }
    const took = (performance.now() - back) / 1_000;
    console.log(
      `\n${seconds} s without database (${source}, at half load: ${(load.rate * 50).toFixed(0)} reads/s)`,
    );
    console.log(`  committed meanwhile           ${during.messages - before.messages} messages`);
    const grown = (bytes: number) => ((bytes - memoryBefore) / 2 ** 20).toFixed(0);
    console.log(`  memory grew by at most        ${grown(mostWithout)} MiB   target 64`);
    console.log(`  by the time it has caught up  ${grown(most)} MiB`);
    console.log(`  caught up after               ${took.toFixed(1)} s`);
    console.log(
      `  drained at                    ${(drained / took / load.rate).toFixed(2)} of the load   target 1.5`,
    );
  });
}

interface Loaded {
  installed: Installation;
  proxy: Awaited<ReturnType<typeof startDatabaseProxy>>;
  load: SteadyLoad;
}

/** A site whose ingestion reaches the database through a proxy, with a steady load for `seconds`. */
async function underLoad(
  source: SourceName,
  serverUrl: string,
  options: IngestOptions,
  seconds: number,
  work: (loaded: Loaded) => Promise<void>,
): Promise<void> {
  const site = await createSite(serverUrl, options.history[0] ?? 1e5);
  const copy: BenchSite = await copySite(serverUrl, site);
  const proxy = await startDatabaseProxy(site.url);
  const installed = await install(site, [source], proxy.url);
  try {
    const rate = await halfOfTheMost(installed, copy, source, options.count);
    const load = await startSteadyLoad(installed, source, rate, seconds);
    await work({ installed, proxy, load });
    load.stop();
  } finally {
    await installed.stop();
    await proxy.close();
    await site.drop();
    await copy.drop();
  }
}

async function restart(installed: Installation): Promise<void> {
  installed.subscriber = await installed.startSubscriber();
}

/** Milliseconds from `begin` until something more is committed. */
async function firstCommit(installed: Installation, begin: () => Promise<void>): Promise<number> {
  const { messages } = await committed(installed.client);
  const start = performance.now();
  const begun = begin();
  await untilCommitted(installed.client, messages + 1);
  const took = performance.now() - start;
  await begun;
  return took;
}
