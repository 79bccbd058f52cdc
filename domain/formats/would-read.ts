import { dryRun } from './dry-run.ts';
import { loadBuiltinFormats } from './mapping/builtin.ts';
import type { Message } from './mapping/run.ts';

/** Bytes of a message that all formats are tried on. */
const LONGEST = 16_384;

/** The built-in formats that read something of a message. Long messages are not tried: that could take a second. */
export function formatsThatRead({ topic, payload }: Message): string[] {
  if (payload.length > LONGEST) {
    return [];
  }
  return [...loadBuiltinFormats().values()]
    .filter((format) => dryRun(format, { topic, payload }).scans.length > 0)
    .map(({ name }) => name);
}
