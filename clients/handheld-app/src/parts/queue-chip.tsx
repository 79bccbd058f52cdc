import { useApp } from '../app/app-context.ts';
import { Icon } from './icon.tsx';

export function QueueChip() {
  const { queue, sender } = useApp();
  const waiting = queue.waiting.value;
  const refused = queue.refused.value.length;
  const { value: link } = sender.link;
  const isOffline = link === 'offline' || link === 'waiting';
  const tone = isOffline ? 'offline' : waiting > 0 ? 'busy' : 'clear';
  const icon = isOffline ? 'offline' : waiting > 0 ? 'queued' : 'check';
  const count = waiting > 0 ? `${waiting} waiting` : isOffline ? null : 'All sent';
  const words = [link === 'offline' && 'Offline', link === 'waiting' && 'No answer', count].filter(Boolean);
  return (
    <div class="chips">
      {refused > 0 && (
        <a class="chip chip-refused" href="#history">
          <Icon name="refused" />
          <span>
            {refused}
            <span class="unseen"> refused, see history</span>
          </span>
        </a>
      )}
      <a class={`chip chip-${tone}`} href="#history">
        <Icon name={icon} />
        <span role="status" data-waiting={waiting}>
          {words.join(' · ')}
        </span>
      </a>
    </div>
  );
}
