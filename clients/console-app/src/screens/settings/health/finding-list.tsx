import { useId } from 'preact/hooks';
import { Badge, type Tone } from '../../../parts/badge.tsx';
import { href } from '../../../router/router.ts';
import { texts } from '../../../texts/texts.ts';
import { bySeriousness, type Finding } from './finding.ts';

const TONES: Readonly<Record<Finding['status'], Tone>> = {
  ok: 'moved',
  warning: 'problem',
  fault: 'refused',
};

/** Where to mend it in the console. */
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  readers: ['readers'],
  'rejected messages': ['inbox'],
  webhooks: ['settings', 'webhooks'],
};

export function FindingList({ title, findings }: { title: string; findings: readonly Finding[] }) {
  const id = useId();
  return (
    <section class="card stack" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <ul class="lines">
        {bySeriousness(findings).map((finding) => (
          <FindingLine key={`${finding.check} ${finding.message}`} finding={finding} />
        ))}
      </ul>
    </section>
  );
}

function FindingLine({ finding: { check, status, message, remedy } }: { finding: Finding }) {
  const t = texts.value.health;
  const screen = status === 'ok' ? undefined : SCREENS[check];
  const checks: Readonly<Record<string, string>> = t.checks;
  return (
    <li>
      <div>
        <Badge tone={TONES[status]}>{t.statuses[status]}</Badge> <strong>{checks[check] ?? check}</strong>
        <p>{message ?? t.inGeneral[status]}</p>
        {remedy !== null && <p class="hint">{t.remedy(remedy)}</p>}
      </div>
      {screen !== undefined && (
        <a class="small secondary" href={href(...screen)}>
          {t.open}
        </a>
      )}
    </li>
  );
}
