import type { Alert } from '../api/types.ts';
import { texts } from '../texts/texts.ts';
import { Badge, type Tone } from './badge.tsx';
import { boundWords } from './reading-text.ts';

/** The condition, without its subject: "is overdue", "stays too long". */
export function alertWords({ kind, because }: Pick<Alert, 'kind' | 'because'>): string {
  const t = texts.value.alerts;
  if (because?.state === 'missing' || because?.state === 'disconnected') {
    return t.what[because.state];
  }
  return because?.reading === undefined ? t.what[kind] : t.measured(...boundWords(because));
}

/** Its subject: an asset by its name, as soon as that is known. */
export function alertSubject(
  { asset, reader }: Pick<Alert, 'asset' | 'reader'>,
  names: ReadonlyMap<string, string>,
): string {
  return asset === null ? (reader?.name ?? '–') : (names.get(asset.external_key) ?? asset.external_key);
}

const TONES: Readonly<Record<Alert['state'], Tone>> = {
  open: 'refused',
  acknowledged: 'place',
  closed: 'seen',
  withdrawn: 'queued',
};

/** The state, or the level of an open alert that only warns. */
export function AlertBadge({ alert: { state, level } }: { alert: Pick<Alert, 'state' | 'level'> }) {
  const t = texts.value.alerts;
  return state === 'open' && level === 'warning' ? (
    <Badge tone="problem">{t.warning}</Badge>
  ) : (
    <Badge tone={TONES[state]}>{t.states[state]}</Badge>
  );
}
