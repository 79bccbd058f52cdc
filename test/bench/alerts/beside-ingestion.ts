import { install } from '../ingest/installation.ts';
import { run } from '../ingest/run.ts';
import type { AlertOptions } from './options.ts';
import { emptyCopy, measureRate } from './rate.ts';
import { setRules, untilDerived } from './rules.ts';
import type { Sides, Sites } from './sides.ts';
import { measureTelling } from './telling.ts';

/** Ingestion of two sites that differ by their rules; while one of them is measured nothing happens at the other. */
export async function measureBesideIngestion(
  { plain, ruled, copy }: Sites,
  options: AlertOptions,
): Promise<void> {
  const sides = {
    plain: await install(plain, ['embedded']),
    ruled: await install(ruled, ['embedded']),
    copy,
  };
  try {
    await warmUp(sides, options);
    if (options.only.includes('rate')) {
      await measureRate(sides, options);
    }
    if (options.only.includes('telling')) {
      await measureTelling(sides, options);
    }
  } finally {
    await sides.plain.stop();
    await sides.ruled.stop();
  }
}

/** Reads nearly every asset at its first antenna, so that all antennas have as many, before there are rules. */
async function warmUp({ plain, ruled, copy }: Sides, { assets, ...options }: AlertOptions): Promise<void> {
  const still = {
    name: '',
    source: 'embedded',
    readsPerMessage: 50,
    late: 0,
    poison: 0,
    moves: 0,
    isStamped: true,
  } as const;
  for (const each of [plain, ruled]) {
    await run(each, copy.url, still, 3 * assets);
    await emptyCopy(copy.url);
  }
  await setRules(ruled, options);
  await untilDerived(ruled.client);
}
