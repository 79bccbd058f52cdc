import { useState } from 'preact/hooks';
import { post, read } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import type { Webhook } from '../../../api/webhook.ts';
import { confirm } from '../../../parts/confirm.tsx';
import { Field, Select } from '../../../parts/field.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { faultOf } from '../../../parts/problem-text.ts';
import { toast } from '../../../parts/toast.tsx';
import { texts } from '../../../texts/texts.ts';

/** Sends again what was sent before, or goes past what is not wanted. */
export function Replay({ webhook: { id, head } }: { webhook: Webhook }) {
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
