import { type Spread, show, spreadOf } from '../../support/statistics.ts';
import { interleaved } from '../interleaved.ts';
import { type Installation, install } from './installation.ts';
import type { IngestOptions } from './options.ts';
import { type Run, run, type Variant } from './run.ts';
import { type BenchSite, copySite, createSite } from './site.ts';

/** End to end against a bare COPY of the same rows, by every way in and at several sizes of a message. */
export async function benchThroughput(serverUrl: string, options: IngestOptions): Promise<void> {
  const variants = options.sources.flatMap((source) =>
    options.reads.flatMap((readsPerMessage): Variant[] => {
      const name = `${source}, ${readsPerMessage} a message`;
      const plain = { name, source, readsPerMessage, late: 0, poison: 0 };
      const { readings } = options;
      const measured = { ...plain, name: `${name}, ${readings} values with each read`, readings };
      return readings === 0 ? [plain] : [plain, measured];
    }),
  );
  const results = await onSites(serverUrl, options, [options.history[0] ?? 1e5], ([installed, copy]) =>
    measureAll(installed, copy, variants, options),
  );
  report('End to end', results, options.readings === 0 ? undefined : Object.keys(results)[0]);
}

/** The same with reads that come late, and with messages that cannot be read, against neither. */
export async function benchOddities(serverUrl: string, options: IngestOptions): Promise<void> {
  const [source = 'embedded'] = options.sources;
  const plain: Variant = { name: 'neither', source, readsPerMessage: 50, late: 0, poison: 0 };
  const variants = [
    plain,
    ...options.lateKinds.map((lateKind) => ({
      ...plain,
      name: `20 % late, ${lateKind}`,
      late: 0.2,
      lateKind,
    })),
    { ...plain, name: '1 poison in 1000', poison: 0.001 },
  ];
  const results = await onSites(serverUrl, options, [options.history[0] ?? 1e5], ([installed, copy]) =>
    measureAll(installed, copy, variants, options),
  );
  report(`Late reads and poison (${source}, 50 a message)`, results, 'neither');
}

/** The same at several lengths of history. */
export async function benchHistory(serverUrl: string, options: IngestOptions): Promise<void> {
  const [source = 'embedded'] = options.sources;
  const results = await onSites(serverUrl, options, options.history, (...sites) => {
    const measurements = sites.map(([installed, copy]): [string, () => Promise<Run>] => {
      const name = `${installed.site.history.toExponential()} rows`;
      const variant = { name, source, readsPerMessage: 50, late: 0, poison: 0 };
      return [name, () => run(installed, copy.url, variant, options.count)];
    });
    return interleaved(options.repetitions, Object.fromEntries(measurements));
  });
  report(`Rows of history (${source}, 50 a message)`, results, Object.keys(results)[0]);
}

type InstalledSite = [Installation, BenchSite];

/** Has sites of those sizes and their copies made, gives them to `work`, and clears them away. */
export async function onSites<Result>(
  serverUrl: string,
  options: IngestOptions,
  sizes: readonly number[],
  work: (...sites: InstalledSite[]) => Promise<Result>,
): Promise<Result> {
  const made: InstalledSite[] = [];
  try {
    for (const size of sizes) {
      const site = await createSite(serverUrl, size);
      const copy = await copySite(serverUrl, site);
      made.push([await install(site, options.sources), copy]);
    }
    return await work(...made);
  } finally {
    for (const [installed, copy] of made) {
      await installed.stop();
      await installed.site.drop();
      await copy.drop();
    }
  }
}

function measureAll(
  installed: Installation,
  copy: BenchSite,
  variants: readonly Variant[],
  options: IngestOptions,
): Promise<Record<string, Run[]>> {
  const measurements = variants.map((variant): [string, () => Promise<Run>] => {
    const reads = variant.readsPerMessage === 1 ? options.count / 4 : options.count;
    return [variant.name, () => run(installed, copy.url, variant, reads)];
  });
  return interleaved(options.repetitions, Object.fromEntries(measurements));
}

export function report(title: string, results: Readonly<Record<string, Run[]>>, base?: string): void {
  console.log(`\n${title}`);
  for (const [name, runs] of Object.entries(results)) {
    const of = (pick: (run: Run) => number, digits: number) => show(spreadOf(runs.map(pick)), digits);
    console.log(`  ${name}`);
    console.log(`    reads/s ${of((one) => one.perSecond, 0)}   COPY ${of((one) => one.copied, 0)} rows/s`);
    console.log(
      `    of COPY ${of((one) => one.perSecond / one.copied, 2)}` +
        `   by the database's processor time ${of((one) => one.copyTime / one.databaseTime, 2)}`,
    );
    console.log(
      `    us a read: broker and Node.js ${of((one) => one.nodeTime, 1)}   database ${of((one) => one.databaseTime, 1)}` +
        `   COPY ${of((one) => one.copyTime, 1)}`,
    );
    if (base !== undefined && name !== base) {
      console.log(
        `    of ${base} ${show(share(runs, results[base] ?? []), 2)}   by processor time ${show(saving(runs, results[base] ?? []), 2)}`,
      );
    }
  }
}

/** Of what was measured in the same round. */
function share(runs: readonly Run[], base: readonly Run[]): Spread {
  return spreadOf(runs.map(({ perSecond }, round) => perSecond / (base[round]?.perSecond ?? Number.NaN)));
}

/** What would be the share if the processor alone were the limit. */
function saving(runs: readonly Run[], base: readonly Run[]): Spread {
  const time = ({ nodeTime, databaseTime }: Run) => nodeTime + databaseTime;
  return spreadOf(
    runs.map((one, round) => {
      const other = base[round];
      return (other === undefined ? Number.NaN : time(other)) / time(one);
    }),
  );
}
