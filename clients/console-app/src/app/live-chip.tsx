import { useEffect } from 'preact/hooks';
import { organizationId } from '../api/organization.ts';
import { liveState, startLive } from '../live/live.ts';
import { texts } from '../texts/texts.ts';

/** Keeps the connection for live moves, and says whether there is one. */
export function LiveChip() {
  const organization = organizationId.value;
  useEffect(() => (organization === null ? undefined : startLive(organization)), [organization]);
  const t = texts.value.shell;
  return (
    <p class={`live live-${liveState.value}`} role="status">
      {liveState.value === 'lost' ? t.reconnecting : liveState.value === 'open' ? t.live : ''}
    </p>
  );
}
