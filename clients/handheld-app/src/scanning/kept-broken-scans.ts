import { signal } from '@preact/signals';
import { hasTokenShape } from '../../../../base/scanned-text.ts';
import type { Database } from '../storage/database.ts';
import { texts } from '../texts/texts.ts';
import type { Broken } from './wedge.ts';

/** A scan without a usable value: kept for display, never sent. */
export interface BrokenScan extends Broken {
  /** By the device's clock; RFC 3339 in UTC. */
  at: string;
}

const MOST_KEPT = 50;

/** Incomplete scans, latest first. */
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

  /** @returns the scan as stored. */
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
 * The tail of a token has nothing of its beginning. Tags mix no small and capital letters, and few contain long words
 * beyond hex, as a tail typed in one case does.
 */
function mayBeToken(parts: readonly string[]): boolean {
  const isMixed = (part: string) => part.length >= 8 && /[a-z]/.test(part) && /[A-Z]/.test(part);
  const isRandom = (part: string) => /[\w-]{16,}/.test(part) && (part.match(/[g-z]/gi) ?? []).length >= 6;
  return (
    hasTokenShape(parts.join('')) ||
    parts.some((part) => /(tt\d{0,2}|th)(_|%5f)/i.test(part) || isMixed(part) || isRandom(part))
  );
}

/** The broken scan for the user, without possible secrets. */
export function heard({ parts }: Broken): string {
  return parts.length === 0
    ? texts.value.notTaken.partsOfToken
    : parts.map((part) => `“${part}”`).join(' … ');
}
