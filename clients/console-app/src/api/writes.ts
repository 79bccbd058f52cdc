import { signal } from '@preact/signals';

/** How often each resource was written to here, by the first part of its path. */
const writes = signal<Readonly<Record<string, number>>>({});

export function noteWrite(path: string): void {
  const resource = resourceOf(path);
  writes.value = { ...writes.value, [resource]: writesTo(path) + 1 };
}

export function writesTo(path: string): number {
  return writes.value[resourceOf(path)] ?? 0;
}

function resourceOf(path: string): string {
  return path.split(/[/?]/)[1] ?? '';
}
