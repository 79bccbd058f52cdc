import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Stays } from '../../api/whereabouts.ts';
import type { Range } from '../../parts/timeline/range.ts';
import { hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { SPANS, shifted, showRange, zoomed } from './range.ts';

export function RangeBar({ range, whole }: { range: Range; whole: Stays }) {
  const t = texts.value.asset;
  const last = (milliseconds: number) => {
    const to = Date.now();
    return spanHref({ from: to - milliseconds, to });
  };
  const first = whole.first_seen === null ? Date.now() : Date.parse(whole.first_seen);
  return (
    <div class="range-bar">
      <nav class="spans" aria-label={t.range}>
        <a href={last(SPANS.hour)}>{t.spans.hour}</a>
        <a href={last(SPANS.day)}>{t.spans.day}</a>
        <a href={last(SPANS.week)}>{t.spans.week}</a>
        <a href={last(SPANS.month)}>{t.spans.month}</a>
        <a href={spanHref({ from: Math.min(first, Date.now() - 60_000), to: Date.now() })}>{t.spans.all}</a>
      </nav>
      <div class="buttons">
        <Step label={t.earlier} icon="back" onStep={() => showRange(shifted(range, -0.5))} />
        <Step label={t.later} icon="forward" onStep={() => showRange(shifted(range, 0.5))} />
        <Step label={t.zoomIn} icon="plus" onStep={() => showRange(zoomed(range, 0.5))} />
        <Step label={t.zoomOut} icon="missing" onStep={() => showRange(zoomed(range, 2))} />
      </div>
    </div>
  );
}

function Step({
  label,
  icon,
  onStep,
}: {
  label: string;
  icon: 'back' | 'forward' | 'plus' | 'missing';
  onStep: () => void;
}) {
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={onStep}>
      <Icon name={icon} />
    </button>
  );
}

function spanHref({ from, to }: Range): string {
  return hrefWith({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
}
