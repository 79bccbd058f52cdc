import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { encode } from 'uqr';
import { patch, post, remove } from '../../../api/send.ts';
import { serverNow } from '../../../api/server-clock.ts';
import type { Data, Row } from '../../../api/types.ts';
import { useAction } from '../../../api/use-action.ts';
import { useList } from '../../../api/use-list.ts';
import { Badge } from '../../../parts/badge.tsx';
import { CardForm } from '../../../parts/card-form.tsx';
import { confirm } from '../../../parts/confirm.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ExpiryField, expiresAt } from '../../../parts/expiry-field.tsx';
import { Field } from '../../../parts/field.tsx';
import { Instant } from '../../../parts/instant.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { faultOf } from '../../../parts/problem-text.ts';
import { isOnlyHere, SecretNote } from '../../../parts/secret-note.tsx';
import { FormSheet } from '../../../parts/side-sheet.tsx';
import { Pager, type SavedColumns } from '../../../parts/table.tsx';
import { toast } from '../../../parts/toast.tsx';
import { address, hrefWith, leaveFor } from '../../../router/router.ts';
import { texts } from '../../../texts/texts.ts';

type Handheld = Row<'GET /handhelds'>;

/** `#/settings/handhelds?open=3`: the handhelds, and the one being renamed. */
export function HandheldsSection() {
  const t = texts.value.handhelds;
  const list = useList<Handheld>('/handhelds', { sort: '' });
  const [made, setMade] = useState<MadeHandheld | null>(null);
  const { run, isBusy, problem } = useAction();
  const open = list.rows.find(({ id }) => String(id) === address.value.query.get('open'));
  const revoke = async ({ id, name }: Handheld) => {
    const isSure = await confirm({
      title: t.revokeTitle(name),
      body: t.revokeBody,
      action: texts.value.settings.revoke,
      isDangerous: true,
    });
    if (isSure && (await run(() => remove(`/handhelds/${id}`)))) {
      setMade((shown) => (shown?.id === id ? null : shown));
    }
  };
  const renew = async ({ id, name }: Handheld) => {
    const isSure = await confirm({ title: t.renewTitle(name), body: t.renewBody, action: t.make });
    if (isSure) {
      await run(async () => setMade((await post<{ data: MadeHandheld }>(`/handhelds/${id}/token`)).data));
    }
  };
  return (
    <div class="cards">
      <NewHandheld onMade={setMade} />
      <section class="card stack" aria-labelledby="handhelds-title">
        <h2 id="handhelds-title">{t.title}</h2>
        {made !== null && <SignInCode handheld={made} />}
        {list.problem !== null && <ProblemNote problem={list.problem} onRetry={list.reload} />}
        {problem !== null && <ProblemNote problem={problem} />}
        {list.total === 0 && <EmptyState icon="scan" title={t.none} hint={t.noneHint} />}
        <ul class="lines">
          {list.rows.map((handheld) => (
            <HandheldLine
              key={handheld.id}
              {...{ handheld, isBusy }}
              onRenew={() => void renew(handheld)}
              onRevoke={() => void revoke(handheld)}
            />
          ))}
        </ul>
        <Pager list={list} label={t.title} columns={handheldColumns()} />
      </section>
      {open !== undefined && (
        <RenameHandheld key={open.id} handheld={open} onClose={() => leaveFor(hrefWith({ open: null }))} />
      )}
    </div>
  );
}

function handheldColumns(): SavedColumns<Handheld> {
  const { handhelds: t, settings } = texts.value;
  return [
    { title: t.name, saved: ({ name }) => name },
    { title: settings.lastUsed, saved: ({ last_used_at: at }) => at },
    { title: t.lastSent, saved: ({ last_submission_at: at }) => at },
    { title: t.expires, saved: ({ expires_at: at }) => at },
    { title: settings.revoked, saved: ({ revoked_at: at }) => at },
  ];
}

function HandheldLine({
  handheld,
  isBusy,
  onRenew,
  onRevoke,
}: {
  handheld: Handheld;
  isBusy: boolean;
  onRenew: () => void;
  onRevoke: () => void;
}) {
  const t = texts.value.handhelds;
  return (
    <li class={handheld.revoked_at === null ? undefined : 'faint'}>
      <div>
        <strong>{handheld.name}</strong> {isOver(handheld) && <Badge tone="refused">{t.expired}</Badge>}
        <p class="hint">
          {texts.value.settings.lastUsed} <Instant at={handheld.last_used_at} /> · {t.lastSent}{' '}
          <Instant at={handheld.last_submission_at} />
        </p>
        {handheld.expires_at !== null && (
          <p class="hint">
            {t.expires} <Instant at={handheld.expires_at} />
          </p>
        )}
      </div>
      {handheld.revoked_at === null ? (
        <div class="buttons">
          <a
            class="small secondary"
            href={hrefWith({ open: handheld.id })}
            aria-label={t.renameOf(handheld.name)}
          >
            {t.rename}
          </a>
          {!isOver(handheld) && (
            <button
              type="button"
              class="small secondary"
              aria-label={t.renewOf(handheld.name)}
              disabled={isBusy}
              onClick={onRenew}
            >
              {t.renew}
            </button>
          )}
          <button
            type="button"
            class="small secondary"
            aria-label={t.revokeOf(handheld.name)}
            disabled={isBusy}
            onClick={onRevoke}
          >
            {texts.value.settings.revoke}
          </button>
        </div>
      ) : (
        <Badge tone="refused">{texts.value.settings.revoked}</Badge>
      )}
    </li>
  );
}

function isOver({ expires_at: at, revoked_at: revoked }: Handheld): boolean {
  return revoked === null && at !== null && Date.parse(at) <= serverNow();
}

function RenameHandheld({
  handheld,
  onClose,
}: {
  handheld: { id: number; name: string };
  onClose: () => void;
}) {
  const t = texts.value.handhelds;
  const [name, setName] = useState(handheld.name);
  const action = useAction();
  const rename = async () => {
    await patch(`/handhelds/${handheld.id}`, { name });
    toast(texts.value.common.saved);
    onClose();
  };
  return (
    <FormSheet
      title={t.renameOf(handheld.name)}
      onClose={onClose}
      isForm
      isChanged={name !== handheld.name}
      isReady={name !== handheld.name}
      action={action}
      shown={['name']}
      onSubmit={rename}
    >
      <Field
        label={t.name}
        name="name"
        required
        maxLength={255}
        value={name}
        fault={faultOf(action.problem, 'name')}
        onValue={setName}
      />
    </FormSheet>
  );
}

/** A device's sign-in, shown only now: a code to scan, and its address. */
function SignInCode({ handheld: { name, sign_in_url: url, token } }: { handheld: MadeHandheld }) {
  const t = texts.value.handhelds;
  const shown = useRef<HTMLDivElement>(null);
  // The button may be at the end of a long list.
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), [token]);
  return (
    <div class="sign-in-code" ref={shown}>
      <QrCode text={url} label={t.codeOf(name)} />
      <div class="stack">
        <p>{t.scanHint}</p>
        {isOnlyHere(url) && <p class="fault">{t.onlyHere}</p>}
        <SecretNote title={t.addressOf(name)} hint={t.once} secret={url} />
        <SecretNote title={t.tokenOf(name)} hint={t.tokenHint} secret={token} />
      </div>
    </div>
  );
}

/** Modules around the code that stay light, without which many cameras find none (ISO/IEC 18004, 6.3.8). */
const QUIET = 4;

/** A QR code, dark on light in dark mode too: most scanners do not read the opposite. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawn(text), [text]);
  const side = size + 2 * QUIET;
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      shape-rendering="crispEdges"
    >
      <rect width={side} height={side} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}

function drawn(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: 0 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])),
  );
  return { size, path: path.join('') };
}

type MadeHandheld = Data<'POST /handhelds'>;

function NewHandheld({ onMade }: { onMade: (made: MadeHandheld) => void }) {
  const t = texts.value.handhelds;
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState('');
  const action = useAction();
  const { problem } = action;
  const make = async () => {
    const expires_at = expiresAt(expiry);
    onMade((await post<{ data: MadeHandheld }>('/handhelds', { name, expires_at })).data);
    setName('');
    setExpiry('');
  };
  return (
    <CardForm
      title={t.newTitle}
      hint={t.newHint}
      submit={t.make}
      action={action}
      shown={['name', 'expires_at']}
      onSubmit={make}
    >
      <Field
        label={t.name}
        name="name"
        required
        maxLength={255}
        value={name}
        fault={faultOf(problem, 'name')}
        onValue={setName}
      />
      <ExpiryField
        label={t.expiry}
        hint={t.expiryHint}
        value={expiry}
        problem={problem}
        onValue={setExpiry}
      />
    </CardForm>
  );
}
