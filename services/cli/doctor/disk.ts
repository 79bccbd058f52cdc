import { statfsSync } from 'node:fs';
import { type Finding, fault, ok, warning } from '../../../domain/health/finding.ts';

/** Bytes. */
const FAULT_BELOW = 256 * 1024 ** 2;
const WARNING_BELOW = 2 * 1024 ** 3;

/** Checks room on the embedded database's disk. @param free bytes. */
export function examineDisk(folder: string, free = freeOn(folder)): Finding {
  const message = `${(free / 1024 ** 3).toFixed(1)} GiB are free where ${folder} is`;
  const remedy = 'Make room: with a full disk nothing is recorded, and readers keep what they have';
  if (free >= WARNING_BELOW) {
    return ok('disk', message);
  }
  return free >= FAULT_BELOW ? warning('disk', message, remedy) : fault('disk', message, remedy);
}

function freeOn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
