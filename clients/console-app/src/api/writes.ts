import { signal } from '@preact/signals';

/** How often each resource was written to here, by the first part of its path. */
const writes = signal<Readonly<Record<string, number>>>({});

/** Resources that are noted at the end of many writes; null while there are none. */
let held: Set<string> | null = null;

export function noteWrite(path: string): void {
  const resource = resourceOf(path);
  if (held === null) {
    writes.value = { ...writes.value, [resource]: writesTo(path) + 1 };
  } else {
    held.add(`/${resource}`);
  }
}

/** Many writes: what shows them reads again at their end, not after each. */
export async function noteAtEnd(work: () => Promise<void>): Promise<void> {
  const written = new Set<string>();
  held = written;
  try {
    await work();
  } finally {
    held = null;
    written.forEach(noteWrite);
  }
}

export function writesTo(path: string): number {
  return writes.value[resourceOf(path)] ?? 0;
}

function resourceOf(path: string): string {
  return path.split(/[/?]/)[1] ?? '';
}
