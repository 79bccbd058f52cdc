import { interleaved } from '../interleaved.ts';
import type { IngestOptions } from './options.ts';
import { run } from './run.ts';
import { onSites, report } from './throughput.ts';

/** At each share of reads that are moves, sealing them included, against none. */
export async function benchMoves(serverUrl: string, options: IngestOptions): Promise<void> {
  const [source = 'embedded'] = options.sources;
  const sizes = options.history.slice(0, 1);
  await onSites(serverUrl, options, sizes, async ([installed, copy]) => {
    const measured = [0, ...options.moves].map((moves) => {
      const variant = { name: '', source, readsPerMessage: 50, late: 0, poison: 0, moves };
      return [nameOf(moves), () => run(installed, copy.url, variant, options.count)] as const;
    });
    const results = await interleaved(options.repetitions, Object.fromEntries(measured));
    report(`Moves among the reads (${source}, 50 a message)`, results, nameOf(0));
  });
}

function nameOf(moves: number): string {
  return `${100 * moves} %`;
}
