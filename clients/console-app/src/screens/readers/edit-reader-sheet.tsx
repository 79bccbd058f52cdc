import { useState } from 'preact/hooks';
import { patch, remove } from '../../api/send.ts';
import type { Reader } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { confirm } from '../../parts/confirm.tsx';
import { changedIn } from '../../parts/edit.tsx';
import { Field } from '../../parts/field.tsx';
import { SecretNote } from '../../parts/secret-note.tsx';
import { FormSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { href, leaveFor } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { ReaderFields } from './reader-fields.tsx';

/** Name, topic, format, when it is silent, another password, and its end. */
export function EditReaderSheet({ reader, onClose }: { reader: Reader; onClose: () => void }) {
  const t = texts.value.readers;
  const [kept] = useState({
    ...{ name: reader.name, topic: reader.topic, format: reader.format },
    expect_seconds: String(reader.expect_seconds ?? ''),
  });
  const [draft, setDraft] = useState(kept);
  const [password, setPassword] = useState<string | null>(null);
  const [isSubscribed, setSubscribed] = useState(true);
  const action = useAction();
  const { run, isBusy } = action;
  const save = async () => {
    const { expect_seconds: expect } = draft;
    const given = { ...draft, expect_seconds: expect === '' ? null : Number(expect) };
    // Other fields may have been changed by others.
    const changes = Object.fromEntries(changedIn(draft, kept).map((name) => [name, given[name]]));
    const { data } = await patch<{ data: { subscribed: boolean } }>(`/readers/${reader.id}`, changes);
    toast(texts.value.common.saved);
    setSubscribed(data.subscribed);
    if (data.subscribed) {
      onClose();
    }
  };
  return (
    <FormSheet
      title={t.editTitle}
      onClose={onClose}
      isChanged={changedIn(draft, kept).length > 0}
      action={action}
      others={
        <>
          <button
            type="button"
            class="secondary"
            disabled={isBusy}
            onClick={() => void renew(reader, run, setPassword)}
          >
            {t.renew}
          </button>
          <button type="button" class="danger" disabled={isBusy} onClick={() => void end(reader, run)}>
            {t.delete}
          </button>
        </>
      }
      onSubmit={save}
    >
      <ReaderFields draft={draft} onDraft={setDraft} />
      <Field
        label={t.expect}
        hint={t.expectHint}
        type="number"
        min={15}
        max={86_400}
        value={draft.expect_seconds}
        onValue={(expect_seconds) => setDraft({ ...draft, expect_seconds })}
      />
      {!isSubscribed && <p class="note note-problem">{t.notSubscribed(draft.topic)}</p>}
      {password !== null && (
        <SecretNote title={t.passwordOf(reader.mqtt_username)} hint={t.passwordOnce} secret={password} />
      )}
    </FormSheet>
  );
}

type Run = ReturnType<typeof useAction>['run'];

async function renew({ id }: Reader, run: Run, onPassword: (password: string) => void): Promise<void> {
  const t = texts.value.readers;
  if (await confirm({ title: t.renewTitle, body: t.renewBody, action: t.renew })) {
    await run(async () => {
      const { data } = await patch<{ data: { mqtt_password: string } }>(`/readers/${id}`, {
        new_password: true,
      });
      onPassword(data.mqtt_password);
    });
  }
}

async function end({ id, name }: Reader, run: Run): Promise<void> {
  const t = texts.value.readers;
  const asked = { title: t.deleteTitle(name), body: t.deleteBody, action: t.delete, isDangerous: true };
  if ((await confirm(asked)) && (await run(() => remove(`/readers/${id}`)))) {
    toast(t.deleted(name));
    leaveFor(href('readers'));
  }
}
