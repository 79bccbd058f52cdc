import { show, spreadOf } from '../support/statistics.ts';
import { interleaved } from './interleaved.ts';
import type { Load, Measured } from './load.ts';
import type { BenchOptions } from './options.ts';
import { measure, type ServerProcess, startServer } from './processes.ts';
import { apiEnvironment, turns } from './requests.ts';
import { type Filled, fill, type Size } from './rows/seed.ts';

/** A request whose time is measured at several sizes of the database. */
export interface Question {
  name: string;
  path(id: number, filled: Filled): string;
}

interface Site {
  filled: Filled;
  server: ServerProcess;
  label: string;
}

/** Times of the questions, one caller at a time, at each size; and how they grow from the first size to the last. */
export async function benchLatencies(
  serverUrl: string,
  sizes: readonly (Size & { label: string })[],
  questions: readonly Question[],
  options: BenchOptions,
): Promise<void> {
  const sites: Site[] = [];
  for (const { label, ...size } of sizes) {
    const filled = await fill(serverUrl, size);
    sites.push({ label, filled, server: await startServer('servers/full.ts', apiEnvironment(filled)) });
  }
  for (const question of questions) {
    const measurements = sites.map(({ label, filled, server }): [string, () => Promise<Measured>] => {
      const requests = turns(filled, (id) => question.path(id, filled));
      const load: Load = { url: server.url, connections: 1, seconds: options.seconds, requests };
      return [label, () => measure(load)];
    });
    const results = await interleaved(options.repetitions, Object.fromEntries(measurements));
    report(
      question.name,
      results,
      sites.map(({ label }) => label),
    );
  }
  for (const { server, filled } of sites) {
    await server.stop();
    await filled.drop();
  }
}

function report(
  name: string,
  results: Readonly<Record<string, Measured[]>>,
  labels: readonly string[],
): void {
  console.log(`\n${name}, one caller at a time, ms`);
  for (const label of labels) {
    const measured = results[label] ?? [];
    const p50 = show(spreadOf(measured.map((each) => each.p50)), 2);
    const p95 = show(spreadOf(measured.map((each) => each.p95)), 2);
    console.log(`  ${label.padEnd(10)} p50 ${p50}   p95 ${p95}`);
  }
  if (labels.length === 1) {
    return;
  }
  const first = results[labels[0] ?? ''] ?? [];
  const last = results[labels.at(-1) ?? ''] ?? [];
  const growth = (of: 'p50' | 'p95') =>
    show(spreadOf(last.map((each, round) => each[of] / (first[round]?.[of] ?? Number.NaN))), 2);
  console.log(`  ${labels.at(-1)} / ${labels[0]}: p50 ${growth('p50')}   p95 ${growth('p95')}`);
}
