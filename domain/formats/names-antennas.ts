import type { FormatDefinition } from './mapping/language/definition.ts';

/** Whether a make's antennas have names, such as gateways and rooms, and none is its port 1. */
export function namesAntennas({ rules }: FormatDefinition): boolean {
  const candidates = rules.flatMap(({ fields }) => fields.antenna ?? []);
  return (
    candidates.length > 0 &&
    candidates.every(({ item = '', parent = '', root = '' }) => !NUMBERED.test(item || parent || root))
  );
}

/** The last name of a pointer to a port: `antenna`, `antennaPort`, `AntennaID`. */
const NUMBERED = /\/(?:ant[^/]*|[^/]*port)$/i;
