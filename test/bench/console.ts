import { cpus } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { launch } from '../support/browser.ts';
import { buildConsoleIfStale } from '../support/built-app.ts';
import { run } from '../support/process.ts';
import { memoryOf, processorTime } from '../support/processor-time.ts';
import { quantile, show, spreadOf } from '../support/statistics.ts';
import { typedOptions } from '../support/typed-options.ts';
import { startMover } from './console/mover.ts';
import { makeSite } from './console/site.ts';
import { openTab, type Tab } from './console/tab.ts';
import { openViewer } from './console/viewers.ts';
import { openDatabaseServer } from './database-server.ts';

/** Measures the console under many viewers while much moves; `README.md` beside this file says how to read it. */
const { values } = typedOptions('bench:console', {
  options: {
    locations: { type: 'string', default: '1e4' },
    assets: { type: 'string', default: '1e5' },
    rate: { type: 'string', default: '100' },
    viewers: { type: 'string', default: '20' },
    tabs: { type: 'string', default: '2' },
    openings: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
  },
});
const LOCATIONS = Number(values.locations);
const ASSETS = Number(values.assets);
const RATE = Number(values.rate);
const VIEWERS = Number(values.viewers);
const TABS = Number(values.tabs);
const OPENINGS = Number(values.openings);
const SECONDS = Number(values.seconds);
const MEGABYTE = 1_048_576;

await buildConsoleIfStale();
const server = await openDatabaseServer();
const site = await makeSite(server.url, { locations: LOCATIONS, assets: ASSETS });
const ENVIRONMENT = {
  DATABASE_URL: site.filled.url,
  HOST: '127.0.0.1',
  CONSOLE_PORT: '0',
  READERS_PORT: '0',
};
// Records and seals. Its own console is not the one that is measured.
const everything = run('services/standalone/main.ts', [], {
  ...ENVIRONMENT,
  ...{ API_PORT: '0', HANDHELD_PORT: '0', MQTT_PORT: '0', LOG_LEVEL: 'error' },
  ...{ LATENESS_DAYS: '36500', SCAN_RETENTION_DAYS: '36500' },
});
await everything.printed('Database');
const [mqttUrl = ''] = /mqtt:\S+/.exec(everything.stdout()) ?? [];
const measured = run('services/console/main.ts', [], ENVIRONMENT);
await measured.printed('"address"');
const [, url = ''] = /"address":"([^"]+)"/.exec(measured.stdout()) ?? [];
const pid = measured.child.pid ?? 0;
const browser = await launch();
const leaving = new AbortController();
console.log(
  `${LOCATIONS} places, ${ASSETS} assets, ${RATE} moves/s, ${VIEWERS} viewers, of which ${TABS} in a browser; ` +
    `${cpus().length} processors for all of it`,
);

try {
  console.log(`\nUntil places are seen, ms:  ${await openings('quiet         ')}`);
  const tabs = await Promise.all(Array.from({ length: TABS }, () => openTab(browser, url, site.token)));
  const others = await Promise.all(
    Array.from({ length: VIEWERS - TABS }, () => openViewer(url, site.token, leaving.signal)),
  );
  const mover = await startMover(mqttUrl, site.reader, RATE);
  await setTimeout(5_000);
  console.log(`                            ${await openings('while it moves')}`);
  const [began, busyBefore] = [performance.now(), processorTime([pid])];
  const drawnBefore = await Promise.all(tabs.map((tab) => tab.busy()));
  const memory = [await memories(tabs)];
  for (let part = 0; part < 4; part += 1) {
    await setTimeout((SECONDS * 1_000) / 4);
    memory.push(await memories(tabs));
  }
  const seconds = (performance.now() - began) / 1_000;
  const busy = processorTime([pid]) - busyBefore;
  const drawn = (await Promise.all(tabs.map((tab) => tab.busy()))).map(
    (each, tab) => (100 * (each - (drawnBefore[tab] ?? 0))) / seconds,
  );
  await mover.stop();
  await setTimeout(2_000);
  const inTabs = (await Promise.all(tabs.map((tab) => tab.shown()))).flatMap((told) =>
    delays(told, mover.committed),
  );
  const toOthers = others.flatMap((told) => delays(told, mover.committed));
  console.log(`\nFrom commit to sight, ms:   in the browser ${percentiles(inTabs)}`);
  console.log(`                            at the others  ${percentiles(toOthers)}`);
  const hour = 3_600 / seconds;
  const growth = tabs.map(
    (_, tab) => ((memory.at(-1)?.[tab] ?? 0) - (memory[1]?.[tab] ?? 0)) * (4 / 3) * hour,
  );
  const kept = memory.map((each) => each.map((bytes) => (bytes / MEGABYTE).toFixed(1)).join(', '));
  console.log(`\nA tab keeps, MiB:           ${kept.join(' | ')}`);
  console.log(
    `  more after an hour, MiB:  ${growth.map((bytes) => (bytes / MEGABYTE).toFixed(1)).join(', ')}`,
  );
  console.log(`  of a processor, %:        ${drawn.map((each) => each.toFixed(0)).join(', ')}`);
  console.log(`\nThe console's process, MiB: ${(memoryOf(pid) / MEGABYTE).toFixed(0)}`);
  console.log(`  of a processor, %:        ${((100 * busy) / seconds).toFixed(0)}`);
} finally {
  leaving.abort();
  await browser.close();
  for (const program of [measured, everything]) {
    program.child.kill('SIGTERM');
    await program.ended;
  }
  await site.filled.drop();
  await server.close();
}

async function openings(when: string): Promise<string> {
  const [times, busy]: [number[], number[]] = [[], []];
  for (let opening = 0; opening < OPENINGS; opening += 1) {
    const tab = await openTab(browser, url, site.token);
    times.push(tab.firstContent);
    busy.push((await tab.busy()) * 1_000);
    await tab.close();
  }
  return `${when} ${show(spreadOf(times), 0)}, of them the page's own ${show(spreadOf(busy), 0)}`;
}

function memories(tabs: readonly Tab[]): Promise<number[]> {
  return Promise.all(tabs.map((tab) => tab.memory()));
}

function delays(told: ReadonlyMap<string, number>, committed: ReadonlyMap<string, number>): number[] {
  return [...told].flatMap(([name, at]) => {
    const since = committed.get(name);
    return since === undefined ? [] : [at - since];
  });
}

function percentiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((fraction) => quantile(sorted, fraction));
  return `p50 ${p50}  p95 ${p95}  p99 ${p99}  (${sorted.length} seen)`;
}
