import { interleaved } from '../interleaved.ts';
import { HALL_PROCEDURES, type HallProcedure, makeHall } from './hall.ts';
import { type Installation, install } from './installation.ts';
import type { IngestOptions } from './options.ts';
import { type Run, run } from './run.ts';
import { type BenchSite, copySite, createSite } from './site.ts';
import { report } from './throughput.ts';

/** The same hall where every scan counts, and where locations are decided by strength or position. */
export async function benchLocation(serverUrl: string, options: IngestOptions): Promise<void> {
  const [source = 'embedded'] = options.sources;
  const hall = { assets: options.hallAssets, hertz: 2 };
  const original = await createSite(serverUrl, options.history[0] ?? 1e5);
  const copy = await copySite(serverUrl, original);
  const sites = new Map<HallProcedure, BenchSite>();
  const installed = new Map<HallProcedure, Installation>();
  try {
    for (const procedure of HALL_PROCEDURES) {
      const site = await copySite(serverUrl, original, procedure);
      sites.set(procedure, site);
      await makeHall(site.url, procedure);
      installed.set(procedure, await install(site, [source]));
    }
    for (const readsPerMessage of options.reads) {
      const measurements = [...installed].map(([name, installation]): [string, () => Promise<Run>] => [
        name,
        () =>
          run(
            installation,
            copy.url,
            { name, source, readsPerMessage, late: 0, poison: 0, hall },
            options.count,
          ),
      ]);
      const results = await interleaved(options.repetitions, Object.fromEntries(measurements));
      report(
        `${hall.assets} assets, each heard by 12 antennas twice a second (${source}, ${readsPerMessage} a message)`,
        results,
        'every',
      );
    }
  } finally {
    for (const installation of installed.values()) {
      await installation.stop();
    }
    for (const site of [...sites.values(), original, copy]) {
      await site.drop();
    }
  }
}
