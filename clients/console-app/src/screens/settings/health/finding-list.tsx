import { useId } from 'preact/hooks';
import { Badge, type Tone } from '../../../parts/badge.tsx';
import { texts } from '../../../texts/texts.ts';
import { bySeriousness, type Finding } from './finding.ts';
import { mendLink } from './mend-links.ts';

const TONES: Readonly<Record<Finding['status'], Tone>> = {
  ok: 'moved',
  warning: 'problem',
  fault: 'refused',
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

function FindingLine({ finding: { check, status, message, remedy, mend } }: { finding: Finding }) {
  const t = texts.value.health;
  const checks: Readonly<Record<string, string>> = t.checks;
  const words = mend === null ? null : t.mends[mend.what];
  const todo = words?.todo(mend?.id ?? 0) ?? remedy;
  return (
    <li>
      <div>
        <Badge tone={TONES[status]}>{t.statuses[status]}</Badge> <strong>{checks[check] ?? check}</strong>
        <p>{message ?? t.inGeneral[status]}</p>
        {todo !== null && <p class="hint">{t.remedy(todo)}</p>}
      </div>
      {mend !== null && (
        <a class="small secondary" href={mendLink(mend)}>
          {words?.open}
        </a>
      )}
    </li>
  );
}
