import { Counter, Gauge, type Registry } from 'prom-client';

export type Metric<Name> = readonly [name: string, help: string, figure: Name];

export function measureFigures<Name extends string>(
  registry: Registry,
  figures: () => Readonly<Record<Name, number | boolean>>,
  { gauges, counters }: { gauges: readonly Metric<Name>[]; counters: readonly Metric<Name>[] },
): void {
  const registers = [registry];
  for (const [name, help, figure] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(Number(figures()[figure]));
      },
    });
  }
  for (const [name, help, figure] of counters) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(Number(figures()[figure]));
      },
    });
  }
}

export const HELD = [
  ['tagtrail_ingest_held_messages', 'Messages received and not committed yet.', 'heldMessages'],
  ['tagtrail_ingest_held_bytes', 'Payload of messages received and not committed yet.', 'heldBytes'],
] as const;

export const COMMITTED = [
  [
    'tagtrail_ingest_committed_messages_total',
    'Messages committed, and acknowledged with that.',
    'committed',
  ],
] as const;
