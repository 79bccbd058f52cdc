import type { StoredWatch } from '../../../domain/presence/coverage/stored-watches.ts';
import { shownTime } from '../command-line/instants.ts';

export function watchRow(watch: StoredWatch) {
  return {
    mode: watch.mode,
    max_gap_seconds: watch.max_gap_seconds,
    is_learned: watch.is_learned,
    coverage: watch.coverage,
    valid_from: shownTime(watch.valid_from),
  };
}

export function sayWatch({ mode, max_gap_seconds, is_learned, coverage }: StoredWatch): string {
  if (mode === 'portal') {
    return 'portal, things pass';
  }
  const readers = coverage === 'all' ? 'while all its antennas listen' : 'while any of its antennas listens';
  if (max_gap_seconds === null) {
    return `continuous, ${readers}; too little was read there to learn how often, so nothing is called overdue`;
  }
  return `continuous, read again within ${max_gap_seconds} s${is_learned ? ' (learned)' : ''} ${readers}`;
}
