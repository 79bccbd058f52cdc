import { useId } from 'preact/hooks';
import type { Data } from '../../../api/types.ts';
import { useRead } from '../../../api/use-read.ts';
import { Badge, type Tone } from '../../../parts/badge.tsx';
import { Instant } from '../../../parts/instant.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { ServerText } from '../../../parts/server-text.tsx';
import { href } from '../../../router/router.ts';
import { type Texts, texts } from '../../../texts/texts.ts';

/** `#/settings/health`: faults and remedies; examined when opened, and on demand. */
export function HealthSection() {
  const t = texts.value.health;
  const { answer, problem, isLoading, reload } = useRead<{ data: Health }>('/health');
  const health = answer?.data;
  return (
    <section class="stack" aria-labelledby="health-title">
      <div class="section-head">
        <div>
          <h2 id="health-title">{t.title}</h2>
          <p class="hint" role="status">
            {isLoading ? t.looking : health !== undefined && t.lookedAt}{' '}
            {!isLoading && health !== undefined && <Instant at={health.checked_at} />}
          </p>
        </div>
        <button type="button" class="secondary" disabled={isLoading} onClick={reload}>
          {t.lookAgain}
        </button>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {health !== undefined && (
        <>
          <FindingList title={t.organization} findings={health.organization} />
          <FindingList title={t.installation} findings={health.installation} />
          <RetentionFacts retention={health.retention} />
        </>
      )}
    </section>
  );
}

const TONES: Readonly<Record<Finding['status'], Tone>> = {
  ok: 'moved',
  warning: 'problem',
  fault: 'refused',
};

function FindingList({ title, findings }: { title: string; findings: readonly Finding[] }) {
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
  const todo = words?.todo(mend?.id ?? 0) ?? (remedy === null ? null : <ServerText text={remedy} />);
  return (
    <li>
      <div>
        <Badge tone={TONES[status]}>{t.statuses[status]}</Badge> <strong>{checks[check] ?? check}</strong>
        <p>{message === null ? t.inGeneral[status] : <ServerText text={message} hasTimes />}</p>
        {todo !== null && (
          <p class="hint">
            {t.remedy} {todo}
          </p>
        )}
      </div>
      {mend !== null && (
        <a class="small secondary" href={mendLink(mend)}>
          {words?.open}
        </a>
      )}
    </li>
  );
}

type Target = (id: number) => string;

const reader: Target = (id) => href('readers', id);
const readerSettings: Target = (id) => href('readers', id, { edit: true });
const webhook: Target = (id) => href('settings', 'webhooks', { open: id });

const TARGETS: Readonly<Record<MendName, Target>> = {
  add_reader: () => href('readers', 'new'),
  set_format: (id) => href('readers', 'new', { reader: id, step: 'format' }),
  look_at_silent: () => href('readers', { state: 'silent' }),
  look_at_unheard: () => href('readers', { state: 'never' }),
  set_clock: reader,
  place_antennas: reader,
  change_topic: readerSettings,
  empty_inbox: () => href('inbox', 'rejected'),
  switch_webhook_on: webhook,
  replay_webhook: webhook,
  rotate_secret: webhook,
  look_at_attempts: webhook,
  set_password: readerSettings,
  set_mqtt_version: reader,
  separate_logins: () => href('readers', 'new'),
  replace_key: () => href('settings', 'keys'),
  replace_handheld: () => href('settings', 'handhelds'),
  enable_user: () => href('settings', 'users'),
  reset_user: () => href('settings', 'users'),
  look_at_rules: () => href('rules'),
  decide_by_strength: () => href('locating'),
  detach_alike: () => href('inbox'),
};

/** The page of the console where it can be mended. */
function mendLink({ what, id }: NonNullable<Finding['mend']>): string {
  return TARGETS[what](id ?? 0);
}

function RetentionFacts({ retention }: { retention: Retention }) {
  const t = texts.value.health;
  return (
    <section class="card stack" aria-labelledby="retention-title">
      <h3 id="retention-title">{t.retention}</h3>
      <dl class="facts">
        <dt>{t.scans}</dt>
        <dd>{t.days(retention.scan_days)}</dd>
        <dt>{t.moves}</dt>
        <dd>{retention.move_days === null ? t.forGood : t.days(retention.move_days)}</dd>
        <dt>{t.history}</dt>
        <dd>{t.forGood}</dd>
        <dt>{t.lateness}</dt>
        <dd>{t.days(retention.lateness_days)}</dd>
      </dl>
      <p class="hint">{t.retentionHint}</p>
    </section>
  );
}

type Finding = Health['organization'][number];

type MendName = keyof Texts['health']['mends'];

type Retention = Health['retention'];

type Health = Data<'GET /health'>;

/** The most serious first, faultless ones last, otherwise in order. */
function bySeriousness(findings: readonly Finding[]): readonly Finding[] {
  const rank = { fault: 0, warning: 1, ok: 2 };
  return [...findings].sort((one, other) => rank[one.status] - rank[other.status]);
}
