import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../../../../../ui/parts/icon.tsx';
import { patch, post, read, remove } from '../../../api/send.ts';
import type { Attempt, TestResult, Webhook } from '../../../api/types.ts';
import { useAction } from '../../../api/use-action.ts';
import { useRead } from '../../../api/use-read.ts';
import { Badge } from '../../../parts/badge.tsx';
import { confirm } from '../../../parts/confirm.tsx';
import { changedIn, type Edit, rebased } from '../../../parts/edit.tsx';
import { Field, Select } from '../../../parts/field.tsx';
import { Instant } from '../../../parts/instant.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { faultOf } from '../../../parts/problem-text.ts';
import { SecretNote } from '../../../parts/secret-note.tsx';
import { SideSheet } from '../../../parts/side-sheet.tsx';
import { toast } from '../../../parts/toast.tsx';
import { texts } from '../../../texts/texts.ts';
import { outcomeOf, StateBadge } from './webhook-columns.tsx';
import { bodyOf, draftOf, SHOWN_FIELDS, type WebhookDraft, WebhookFields } from './webhook-fields.tsx';

export function WebhookSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const { answer, problem, reload } = useRead<{ data: Webhook }>(`/webhooks/${id}`);
  const webhook = answer?.data;
  const [isChanged, setChanged] = useState(false);
  return (
    <SideSheet
      title={webhook?.name ?? texts.value.webhooks.title}
      {...(webhook === undefined ? {} : { sub: <span class="mono">{webhook.url}</span> })}
      onClose={onClose}
      isChanged={isChanged}
    >
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {webhook !== undefined && (
        <div class="stack sheet-parts">
          <WebhookState webhook={webhook} />
          <Attempts id={webhook.id} />
          <Replay webhook={webhook} />
          <EditWebhook webhook={webhook} onChanged={setChanged} onClose={onClose} />
          <Secrets webhook={webhook} />
        </div>
      )}
    </SideSheet>
  );
}

const FIRST = 10;
const MOST = 200;

/** The last requests and their answers. */
function Attempts({ id }: { id: number }) {
  const t = texts.value.webhooks;
  const [limit, setLimit] = useState(FIRST);
  const { answer, problem, reload } = useRead<{ data: readonly Attempt[]; total_count: number }>(
    `/webhooks/${id}/attempts`,
    { limit },
  );
  return (
    <section class="stack" aria-labelledby="webhook-attempts">
      <div class="section-head">
        <h3 id="webhook-attempts">{t.attempts}</h3>
        <button type="button" class="small secondary" onClick={reload}>
          {t.lookAgain}
        </button>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {answer?.data.length === 0 && <p class="hint">{t.noAttempts}</p>}
      <ul class="lines">
        {answer?.data.map((attempt) => (
          <li key={attempt.id}>
            <div>
              <Badge tone={isGood(attempt) ? 'moved' : 'refused'}>{attempt.status ?? t.noAnswer}</Badge>{' '}
              <Instant at={attempt.at} />
              <p class="hint">
                {attempt.position === null ? t.testEvent : t.position(attempt.position)}
                {attempt.attempt > 1 && ` · ${t.attempt(attempt.attempt)}`} · {attempt.milliseconds} ms
              </p>
              {!isGood(attempt) && <p class="hint">{outcomeOf(attempt)}</p>}
              {!isGood(attempt) && (attempt.answer ?? '') !== '' && <p class="mono">{attempt.answer}</p>}
            </div>
          </li>
        ))}
      </ul>
      {(answer?.total_count ?? 0) > limit && limit < MOST && (
        <div class="buttons">
          <button type="button" class="small secondary" onClick={() => setLimit(MOST)}>
            {t.moreAttempts}
          </button>
        </div>
      )}
    </section>
  );
}

function isGood({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

function EditWebhook({
  webhook,
  onChanged,
  onClose,
}: {
  webhook: Webhook;
  onChanged: (isChanged: boolean) => void;
  onClose: () => void;
}) {
  const t = texts.value.webhooks;
  const kept = draftOf(webhook);
  const [edit, setEdit] = useState<Edit<Webhook, WebhookDraft>>({ item: webhook, draft: kept, theirs: {} });
  useLayoutEffect(() => setEdit((before) => rebased({ draftOf }, before, webhook)), [JSON.stringify(kept)]);
  const { draft } = edit;
  const setDraft = (changed: WebhookDraft) => setEdit({ ...edit, draft: changed });
  const { run, isBusy, problem } = useAction();
  const path = `/webhooks/${webhook.id}`;
  const changed = changedIn(draft, draftOf(edit.item));
  const isChanged = changed.length > 0;
  useLayoutEffect(() => onChanged(isChanged), [isChanged]);
  const save = async () => {
    const body = bodyOf(draft);
    // Other fields may have been changed by others.
    await patch(path, Object.fromEntries(changed.map((name) => [name, body[name]])));
    toast(texts.value.common.saved);
  };
  const drop = async () => {
    const isSure = await confirm({
      title: t.deleteTitle(webhook.name),
      body: t.deleteBody,
      action: t.delete,
      isDangerous: true,
    });
    if (isSure && (await run(() => remove(path)))) {
      onClose();
    }
  };
  return (
    <form
      class="stack"
      aria-labelledby="webhook-fields"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <h3 id="webhook-fields">{t.fields}</h3>
      <WebhookFields draft={draft} problem={problem} onDraft={setDraft} />
      {problem !== null && <ProblemNote problem={problem} shown={SHOWN_FIELDS} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || !isChanged || draft.types.length === 0}>
          {texts.value.common.save}
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => void drop()}>
          {t.delete}
        </button>
      </div>
    </form>
  );
}

/** Sends events again, or skips unwanted ones. */
function Replay({ webhook: { id, head } }: { webhook: Webhook }) {
  const t = texts.value.webhooks;
  const [by, setBy] = useState<'time' | 'position'>('time');
  const [time, setTime] = useState('');
  const [position, setPosition] = useState('');
  const { run, isBusy, problem } = useAction();
  const positionAt = async () => {
    const query = { at: new Date(time).toISOString() };
    return (await read<{ data: { after: number } }>('/feed-position', { query })).data.after;
  };
  const replay = async () => {
    const after = by === 'time' ? await positionAt() : Number(position);
    const isSure = await confirm({
      title: t.replayTitle(Math.max(0, head - after)),
      body: t.replayBody,
      action: t.replay,
    });
    if (isSure) {
      await post(`/webhooks/${id}/replay`, { after });
      toast(t.replayed(after));
    }
  };
  return (
    <form
      class="stack"
      aria-labelledby="webhook-replay"
      onSubmit={(event) => {
        event.preventDefault();
        void run(replay);
      }}
    >
      <h3 id="webhook-replay">{t.replayHead}</h3>
      <p class="hint">{t.replayHint}</p>
      <Select
        label={t.from}
        options={[
          { value: 'time', word: t.fromTime },
          { value: 'position', word: t.fromPosition },
        ]}
        value={by}
        onValue={setBy}
      />
      {by === 'time' ? (
        <Field
          label={t.time}
          type="datetime-local"
          required
          value={time}
          fault={faultOf(problem, 'after')}
          onValue={setTime}
        />
      ) : (
        <Field
          label={t.afterPosition}
          hint={t.headIs(head)}
          type="number"
          min={0}
          max={head}
          required
          value={position}
          fault={faultOf(problem, 'after')}
          onValue={setPosition}
        />
      )}
      {problem !== null && <ProblemNote problem={problem} shown={['after']} />}
      <div class="buttons">
        <button type="submit" class="secondary" disabled={isBusy}>
          {t.replay}
        </button>
      </div>
    </form>
  );
}

/** Two may be valid at once, so that a receiver can be given the new one before the old one ends. */
function Secrets({ webhook }: { webhook: Webhook }) {
  const t = texts.value.webhooks;
  const [secret, setSecret] = useState<string | null>(null);
  const { run, isBusy, problem } = useAction();
  const path = `/webhooks/${webhook.id}`;
  const rotate = async () => {
    const { data } = await patch<{ data: { secret: string | null } }>(path, { rotate_secret: true });
    setSecret(data.secret);
  };
  return (
    <section class="stack" aria-labelledby="webhook-secrets">
      <h3 id="webhook-secrets">{t.secrets}</h3>
      <p class="hint">{t.secretsHint}</p>
      {secret !== null && <SecretNote title={t.secretOf(webhook.name)} hint={t.secretHint} secret={secret} />}
      <ul class="lines">
        {webhook.secrets_since.map((since) => (
          <li key={since}>
            <div>
              {t.validSince} <Instant at={since} />
            </div>
          </li>
        ))}
      </ul>
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="buttons">
        {webhook.secrets_since.length > 1 ? (
          <button
            type="button"
            class="secondary"
            disabled={isBusy}
            onClick={() => void run(() => patch(path, { drop_old_secret: true }))}
          >
            {t.dropOld}
          </button>
        ) : (
          <button type="button" class="secondary" disabled={isBusy} onClick={() => void run(rotate)}>
            {t.rotate}
          </button>
        )}
      </div>
    </section>
  );
}

/** Its state, how far it is behind, and what to do about it. */
function WebhookState({ webhook }: { webhook: Webhook }) {
  const t = texts.value.webhooks;
  const [tested, setTested] = useState<TestResult | null>(null);
  const { run, isBusy, problem } = useAction();
  const path = `/webhooks/${webhook.id}`;
  const isOn = webhook.state === 'on';
  const test = async () => {
    setTested(null);
    setTested((await post<{ data: TestResult }>(`${path}/test`)).data);
  };
  return (
    <section class="stack" aria-label={t.state}>
      <dl class="facts">
        <dt>{t.state}</dt>
        <dd>
          <StateBadge webhook={webhook} /> {t.since} <Instant at={webhook.state_at} />
        </dd>
        <dt>{t.behind}</dt>
        <dd>{t.upTo(webhook.position, webhook.head)}</dd>
        {webhook.next_attempt_at !== null && (
          <>
            <dt>{t.nextAttempt}</dt>
            <dd>
              <Instant at={webhook.next_attempt_at} />
            </dd>
          </>
        )}
      </dl>
      {!isOn && <p class="hint">{t.waits}</p>}
      {problem !== null && <ProblemNote problem={problem} />}
      {tested !== null && (
        <div class={tested.delivered ? 'note note-seen' : 'note note-refused'} role="status">
          <Icon name={tested.delivered ? 'check' : 'alert'} />
          <p>
            {t.tested(tested.milliseconds)} {outcomeOf(tested)}
            {tested.answer !== null && tested.answer !== '' && <span class="mono"> {tested.answer}</span>}
          </p>
        </div>
      )}
      <div class="buttons">
        <button type="button" class="secondary" disabled={isBusy} onClick={() => void run(test)}>
          {t.test}
        </button>
        <button
          type="button"
          class="secondary"
          disabled={isBusy}
          onClick={() => void run(() => patch(path, { state: isOn ? 'off' : 'on' }))}
        >
          {isOn ? t.switchOff : t.switchOn}
        </button>
      </div>
    </section>
  );
}
