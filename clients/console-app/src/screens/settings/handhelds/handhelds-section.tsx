import { useState } from 'preact/hooks';
import { remove } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import { useList } from '../../../api/use-list.ts';
import { Badge } from '../../../parts/badge.tsx';
import { confirm } from '../../../parts/confirm.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Instant } from '../../../parts/instant.tsx';
import { Pager } from '../../../parts/pager.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { address, go, hrefWith } from '../../../router/router.ts';
import { texts } from '../../../texts/texts.ts';
import { type MadeHandheld, NewHandheld } from './new-handheld.tsx';
import { RenameHandheld } from './rename-handheld.tsx';
import { SignInCode } from './sign-in-code.tsx';

interface Handheld {
  id: number;
  name: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  last_submission_at: string | null;
}

/** `#/settings/handhelds?open=3`: devices that people scan with, and the one that is being renamed. */
export function HandheldsSection() {
  const t = texts.value.handhelds;
  const list = useList<Handheld>('/handhelds', { sort: '' });
  const [made, setMade] = useState<MadeHandheld | null>(null);
  const revoking = useAction();
  const open = list.rows.find(({ id }) => String(id) === address.value.query.get('open'));
  const revoke = async ({ id, name }: Handheld) => {
    const isSure = await confirm({
      title: t.revokeTitle(name),
      body: t.revokeBody,
      action: texts.value.settings.revoke,
      isDangerous: true,
    });
    if (isSure && (await revoking.run(() => remove(`/handhelds/${id}`)))) {
      setMade((shown) => (shown?.id === id ? null : shown));
    }
  };
  return (
    <div class="cards">
      <NewHandheld onMade={setMade} />
      <section class="card stack" aria-labelledby="handhelds-title">
        <h2 id="handhelds-title">{t.title}</h2>
        {made !== null && <SignInCode handheld={made} />}
        {list.problem !== null && <ProblemNote problem={list.problem} onRetry={list.reload} />}
        {revoking.problem !== null && <ProblemNote problem={revoking.problem} />}
        {list.total === 0 && <EmptyState icon="scan" title={t.none} hint={t.noneHint} />}
        <ul class="lines">
          {list.rows.map((handheld) => (
            <li key={handheld.id} class={handheld.revoked_at === null ? undefined : 'faint'}>
              <div>
                <strong>{handheld.name}</strong>{' '}
                {isOver(handheld) && <Badge tone="refused">{t.expired}</Badge>}
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
                  <button
                    type="button"
                    class="small secondary"
                    aria-label={t.revokeOf(handheld.name)}
                    disabled={revoking.isBusy}
                    onClick={() => void revoke(handheld)}
                  >
                    {texts.value.settings.revoke}
                  </button>
                </div>
              ) : (
                <Badge tone="refused">{texts.value.settings.revoked}</Badge>
              )}
            </li>
          ))}
        </ul>
        <Pager list={list} />
      </section>
      {open !== undefined && (
        <RenameHandheld key={open.id} handheld={open} onClose={() => go(hrefWith({ open: null }))} />
      )}
    </div>
  );
}

function isOver({ expires_at: at, revoked_at: revoked }: Handheld): boolean {
  return revoked === null && at !== null && Date.parse(at) <= Date.now();
}
