import type { PresenceState } from '../../api/types.ts';
import { texts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../badge.tsx';

const TONES: Record<PresenceState, Tone> = {
  present: 'moved',
  overdue: 'problem',
  missing: 'refused',
  unknown: 'queued',
  never_seen: 'queued',
};

export function StateBadge({ state }: { state: PresenceState }) {
  return <Badge tone={TONES[state]}>{texts.value.presence.states[state]}</Badge>;
}
