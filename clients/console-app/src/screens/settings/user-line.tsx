import { patch, remove } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { Badge } from '../../parts/badge.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ROLES, type Role } from '../../session/roles.ts';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

export interface User {
  id: number;
  email: string;
  name: string;
  role: Role;
  is_disabled: boolean;
}

/** A member of the organization, and what can be done about them. Nobody takes rights from themselves here. */
export function UserLine({ user, onReset }: { user: User; onReset: () => Promise<unknown> }) {
  const t = texts.value.settings;
  const { run, isBusy, problem } = useAction();
  const isSelf = user.id === session.value?.user.id;
  const path = `/users/${user.id}`;
  const leave = async () => {
    const isSure = await confirm({
      title: t.removeTitle(user.name),
      body: t.removeBody,
      action: texts.value.common.remove,
      isDangerous: true,
    });
    if (isSure) {
      await run(() => remove(path));
    }
  };
  return (
    <li class="user">
      <div>
        <strong>{user.name}</strong> {isSelf && <Badge tone="moved">{t.you}</Badge>}
        {user.is_disabled && <Badge tone="refused">{t.disabled}</Badge>}
        <p class="hint">{user.email}</p>
        {problem !== null && <ProblemNote problem={problem} />}
      </div>
      {isSelf ? (
        <span class="hint">{texts.value.roles[user.role]}</span>
      ) : (
        <div class="buttons">
          <select
            aria-label={t.roleOf(user.name)}
            value={user.role}
            disabled={isBusy}
            onChange={(event) => {
              const role = event.currentTarget.value;
              void run(() => patch(path, { role }));
            }}
          >
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {texts.value.roles[role]}
              </option>
            ))}
          </select>
          <button type="button" class="small secondary" disabled={isBusy} onClick={() => void run(onReset)}>
            {t.resetLink}
          </button>
          <button
            type="button"
            class="small secondary"
            disabled={isBusy}
            onClick={() => void run(() => patch(path, { is_disabled: !user.is_disabled }))}
          >
            {user.is_disabled ? t.enable : t.disable}
          </button>
          <button type="button" class="small danger" disabled={isBusy} onClick={() => void leave()}>
            {texts.value.common.remove}
          </button>
        </div>
      )}
    </li>
  );
}
