import type { Alert } from '../../api/types.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { texts } from '../../texts/texts.ts';

const TONES: Readonly<Record<Alert['state'], Tone>> = {
  open: 'refused',
  acknowledged: 'place',
  closed: 'seen',
  withdrawn: 'queued',
};

/** The state; of an open one that only warns, that. */
export function AlertBadge({ alert: { state, level } }: { alert: Pick<Alert, 'state' | 'level'> }) {
  const t = texts.value.alerts;
  return state === 'open' && level === 'warning' ? (
    <Badge tone="problem">{t.warning}</Badge>
  ) : (
    <Badge tone={TONES[state]}>{t.states[state]}</Badge>
  );
}
