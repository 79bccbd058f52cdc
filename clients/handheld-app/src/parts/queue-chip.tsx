import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { texts } from '../texts/texts.ts';

export function QueueChip() {
  const { queue, sender } = useApp();
  const said = texts.value.queue;
  const waiting = queue.waiting.value;
  const refused = queue.refused.value.length + queue.refusedSweeps.value.length;
  const { value: link } = sender.link;
  const isOffline = link === 'offline' || link === 'waiting';
  const isStoring = queue.isStoring.value;
  const isClear = waiting === 0 && !isStoring;
  const tone = isOffline ? 'offline' : isClear ? 'clear' : 'busy';
  const icon = isOffline ? 'offline' : isClear ? 'check' : 'queued';
  const count = isStoring
    ? said.storing
    : waiting > 0
      ? said.waiting(waiting)
      : isOffline
        ? null
        : said.allSent;
  const words = [link === 'offline' && said.offline, link === 'waiting' && said.noAnswer, count].filter(
    Boolean,
  );
  return (
    <div class="chips">
      {refused > 0 && (
        <a class="chip chip-refused" href="#history">
          <Icon name="refused" />
          <span>
            {refused}
            <span class="unseen">{said.refused}</span>
          </span>
        </a>
      )}
      <a class={`chip chip-${tone}`} href="#history">
        <Icon name={icon} />
        <span role="status" data-waiting={isStoring ? undefined : waiting}>
          {words.join(' · ')}
        </span>
      </a>
    </div>
  );
}
