import { useState } from 'preact/hooks';
import { post } from '../../../api/send.ts';
import type { MadeSetting, Webhook } from '../../../api/types.ts';
import { useAction } from '../../../api/use-action.ts';
import { useList } from '../../../api/use-list.ts';
import { useRead } from '../../../api/use-read.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { SecretNote } from '../../../parts/secret-note.tsx';
import { FormSheet } from '../../../parts/side-sheet.tsx';
import { Table } from '../../../parts/table.tsx';
import { address, hrefWith, leaveFor } from '../../../router/router.ts';
import { texts } from '../../../texts/texts.ts';
import { webhookColumns } from './webhook-columns.tsx';
import { bodyOf, NEW_DRAFT, SHOWN_FIELDS, type WebhookDraft, WebhookFields } from './webhook-fields.tsx';
import { WebhookSheet } from './webhook-sheet.tsx';

/** `#/settings/webhooks?open=3`: whom moves are sent to, and how far each has come. */
export function WebhooksSection() {
  const t = texts.value.webhooks;
  const list = useList<Webhook>('/webhooks', { sort: '' });
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null);
  const open = address.value.query.get('open');
  const close = () => leaveFor(hrefWith({ open: null }));
  const add = (
    <a class="primary" href={hrefWith({ open: 'new' })}>
      {t.add}
    </a>
  );
  return (
    <section class="stack" aria-labelledby="webhooks-title">
      <div class="section-head">
        <div>
          <h2 id="webhooks-title">{t.title}</h2>
          <p class="hint">{t.lead}</p>
        </div>
        {list.total !== 0 && add}
      </div>
      {made !== null && <SecretNote title={t.secretOf(made.name)} hint={t.secretHint} secret={made.secret} />}
      <Table
        label={t.title}
        list={list}
        columns={webhookColumns()}
        rowKey={({ id }) => id}
        rowHref={({ id }) => hrefWith({ open: id })}
        isOpen={({ id }) => String(id) === open}
        isFaint={({ state }) => state === 'off'}
        empty={
          <EmptyState icon="link" title={t.none} hint={t.noneHint}>
            {add}
          </EmptyState>
        }
      />
      {open === 'new' && (
        <NewWebhook
          onMade={(webhook) => {
            setMade(webhook);
            close();
          }}
          onClose={close}
        />
      )}
      {open !== null && open !== 'new' && <WebhookSheet key={open} id={open} onClose={close} />}
    </section>
  );
}

/** Where antennas are compared, the last seconds of a history may still change. */
function useSuggestedDraft(): WebhookDraft {
  const { answer } = useRead<{ data: readonly MadeSetting[] }>('/locating');
  const isWeighed = answer?.data.some(
    ({ state, procedure }) => state === 'in_force' && (procedure === 'strength' || procedure === 'position'),
  );
  return isWeighed === true ? { ...NEW_DRAFT, settle_seconds: '5' } : NEW_DRAFT;
}

function NewWebhook({
  onMade,
  onClose,
}: {
  onMade: (made: { name: string; secret: string }) => void;
  onClose: () => void;
}) {
  const t = texts.value.webhooks;
  const suggested = useSuggestedDraft();
  const [typed, setDraft] = useState<WebhookDraft | null>(null);
  const draft = typed ?? suggested;
  const action = useAction();
  const make = async () =>
    onMade((await post<{ data: { name: string; secret: string } }>('/webhooks', bodyOf(draft))).data);
  return (
    <FormSheet
      title={t.newTitle}
      onClose={onClose}
      isForm
      isChanged={JSON.stringify(draft) !== JSON.stringify(suggested)}
      submit={t.make}
      isReady={draft.types.length > 0}
      action={action}
      shown={SHOWN_FIELDS}
      onSubmit={make}
    >
      <p class="hint">{t.newHint}</p>
      <WebhookFields draft={draft} problem={action.problem} onDraft={setDraft} />
    </FormSheet>
  );
}
