import { signal } from '@preact/signals';
import { hasTokenShape } from '../../../../base/tag-secrets.ts';
import type { Database } from '../storage/database.ts';
import type { Broken } from './wedge.ts';

/** A scan that no value could be made of: kept to be seen, never sent. */
export interface BrokenScan extends Broken {
  /** When it was made, by the device's clock; RFC 3339 in UTC. */
  at: string;
}

const MOST_KEPT = 50;

/** What became of scans that were not whole, the last one first. */
export class BrokenScans {
  readonly recent = signal<readonly BrokenScan[]>([]);
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<void> {
    const kept = ((await this.#database.get('kept', 'broken')) as BrokenScan[] | undefined) ?? [];
    this.recent.value = kept.map(withoutToken);
  }

  /** @returns the scan as it is kept. */
  keep(broken: Broken, at: string): BrokenScan {
    const kept = withoutToken({ ...broken, at });
    this.recent.value = [kept, ...this.recent.value].slice(0, MOST_KEPT);
    // If it cannot be kept it was shown all the same, and nothing rests on it.
    void this.#database.put('kept', [...this.recent.value], 'broken').catch(() => {});
    return kept;
  }
}

function withoutToken(scan: BrokenScan): BrokenScan {
  return mayBeToken(scan.parts) ? { ...scan, parts: [] } : scan;
}

/**
 * Nobody knows what is missing: the tail of a token has nothing of its beginning. Tags mix no small and capital letters,
 * and few are long words of letters beyond those of hex, which is what a tail is that came in one case.
 */
function mayBeToken(parts: readonly string[]): boolean {
  const isMixed = (part: string) => part.length >= 8 && /[a-z]/.test(part) && /[A-Z]/.test(part);
  const isRandom = (part: string) => /[\w-]{16,}/.test(part) && (part.match(/[g-z]/gi) ?? []).length >= 6;
  return (
    hasTokenShape(parts.join('')) ||
    parts.some((part) => /t[th](_|%5f)/i.test(part) || isMixed(part) || isRandom(part))
  );
}

/** What was heard, in words for the user; the parts of what may be a secret are not among them. */
export function heard({ parts }: Broken): string {
  return parts.length === 0 ? 'parts that may be of a token' : parts.map((part) => `“${part}”`).join(' … ');
}
