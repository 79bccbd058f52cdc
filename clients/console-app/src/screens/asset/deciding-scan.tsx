import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Scan, Why } from '../../api/whereabouts.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';

export function DecidingScan({ why: { decided_by: scan, late_seconds: late } }: { why: Why }) {
  const t = texts.value.why;
  if (scan === null) {
    return <p class="hint">{t.scanUnknown}</p>;
  }
  return (
    <section class="deciding">
      <span class="dot dot-plain">
        <Icon name={scan.by === 'reader' ? 'reader' : 'scan'} />
      </span>
      <dl>
        <div>
          <dt>{t.decidedBy}</dt>
          <dd class="title">{scannerText(scan)}</dd>
        </div>
        <div>
          <dt>{t.tag}</dt>
          <dd>
            {texts.value.tags.types[scan.tag.tag_type]} <span class="mono">{scan.tag.value}</span>
          </dd>
        </div>
        {scan.rssi !== null && (
          <div>
            <dt>{t.strength}</dt>
            <dd>{t.dbm(scan.rssi)}</dd>
          </div>
        )}
        <div>
          <dt>{t.readAt}</dt>
          <dd>
            <Instant at={scan.observed_at} isLong />
          </dd>
        </div>
        <div>
          <dt>{t.received}</dt>
          <dd>
            {late === null || Math.abs(late) < 1
              ? t.atOnce
              : late > 0
                ? t.later(durationText(late * 1_000))
                : t.clockAhead(durationText(-late * 1_000))}
          </dd>
        </div>
      </dl>
    </section>
  );
}

export function scannerText({ by, device, antenna }: Scan): string {
  const t = texts.value.why;
  const name = device?.name ?? t.unknownDevice;
  return by === 'reader' ? t.reader(name, antenna ?? 0) : t.handheld(name);
}
