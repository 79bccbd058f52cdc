import { Counter, Gauge, type Registry } from 'prom-client';

/** Milliseconds a scrape waits for the database; then it gets the figures of the last one. */
const PATIENCE = 2_000;

type Metric<Name> = readonly [name: string, help: string, figure: Name];

/** Exports figures that are asked for when metrics are read. */
export function measureFigures<Name extends string>(
  registry: Registry,
  figures: () => Readonly<Record<Name, number | boolean>>,
  { gauges = [], counters = [] }: { gauges?: readonly Metric<Name>[]; counters?: readonly Metric<Name>[] },
): void {
  for (const [name, help, figure] of gauges) {
    measureFigure(registry, name, help, () => Number(figures()[figure]));
  }
  for (const [name, help, figure] of counters) {
    new Counter({
      ...{ name, help, registers: [registry] },
      collect() {
        this.reset();
        this.inc(Number(figures()[figure]));
      },
    });
  }
}

export function measureFigure(registry: Registry, name: string, help: string, figure: () => number): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    collect() {
      this.set(figure());
    },
  });
}

/** A series for each value of a label. */
export function measureEach<Label extends string>(
  registry: Registry,
  [name, help, label]: Metric<Label>,
  figures: () => Iterable<readonly [value: string, figure: number]>,
): void {
  new Gauge<Label>({
    ...{ name, help, labelNames: [label], registers: [registry] },
    collect() {
      this.reset();
      for (const [value, figure] of figures()) {
        this.set({ [label]: value } as Record<Label, string>, figure);
      }
    },
  });
}

/** Likewise, of what only grows. */
export function countEach<Label extends string>(
  registry: Registry,
  [name, help, label]: Metric<Label>,
  figures: () => Iterable<readonly [value: string, figure: number]>,
): void {
  new Counter<Label>({
    ...{ name, help, labelNames: [label], registers: [registry] },
    collect() {
      this.reset();
      for (const [value, figure] of figures()) {
        this.inc({ [label]: value } as Record<Label, string>, figure);
      }
    },
  });
}

/** Series that are there from the beginning. @returns the callback for each outcome. */
export function countOutcomes<Outcome extends string>(
  registry: Registry,
  [name, help]: readonly [name: string, help: string],
  outcomes: readonly Outcome[],
): (outcome: Outcome) => void {
  const counter = new Counter({ ...{ name, help, labelNames: ['outcome'], registers: [registry] } });
  for (const outcome of outcomes) {
    counter.inc({ outcome }, 0);
  }
  return (outcome) => counter.inc({ outcome });
}

/**
 * Shares one load among all metrics of a scrape. Resolves with whether it succeeded in time; a late load goes on, and
 * no other starts meanwhile.
 */
export function freshener(load: () => Promise<void>): () => Promise<boolean> {
  let underWay: Promise<boolean> | null = null;
  return async () => {
    underWay ??= load()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        underWay = null;
      });
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), PATIENCE);
    try {
      return await Promise.race([underWay, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
