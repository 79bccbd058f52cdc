import { useApp } from '../app.ts';
import { Icon } from './icon.tsx';

/** What is still on the device only, and whether there is a network: in sight on every screen. */
export function QueueChip() {
  const { queue, sender } = useApp();
  const waiting = queue.waiting.value;
  const refused = queue.refused.value.length;
  const isOffline = sender.link.value === 'offline' || sender.link.value === 'waiting';
  const tone = refused > 0 ? 'refused' : isOffline ? 'offline' : waiting > 0 ? 'busy' : 'clear';
  const count = waiting === 0 ? (isOffline ? 'nothing waits' : 'All sent') : `${waiting} waiting`;
  return (
    <a class={`chip chip-${tone}`} href="#history" title={sender.trouble.value ?? undefined}>
      <Icon name={refused > 0 ? 'refused' : isOffline ? 'offline' : waiting > 0 ? 'queued' : 'check'} />
      <span role="status">
        {isOffline && (
          <span class="chip-link">{sender.link.value === 'offline' ? 'Offline' : 'No answer'} · </span>
        )}
        <span class="chip-count" data-waiting={waiting}>
          {count}
        </span>
        {refused > 0 && <span> · {refused} refused</span>}
      </span>
    </a>
  );
}
