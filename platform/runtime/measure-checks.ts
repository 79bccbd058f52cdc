import { Gauge, type Registry } from 'prom-client';

/** Exports the outcome of `/readyz` at every scrape, so that alerts know which dependency is missing. */
export function measureChecks(
  registry: Registry,
  run: () => Promise<readonly { name: string; isUp: boolean }[]>,
): void {
  new Gauge({
    name: 'tagtrail_check_up',
    help: 'Whether what this process needs (a database that takes changes, broker, clock) is there: 1 or 0.',
    labelNames: ['check'] as const,
    registers: [registry],
    async collect() {
      for (const { name, isUp } of await run()) {
        this.set({ check: name }, isUp ? 1 : 0);
      }
    },
  });
}
