import { Icon } from '../../../ui/parts/icon.tsx';
import { Popover } from '../parts/popover.tsx';
import { membership, session } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { Account } from './account.tsx';

export function AccountMenu() {
  const name = session.value?.user.name ?? '';
  const role = membership.value?.role;
  return (
    <Popover
      class="account"
      label={texts.value.shell.account(name)}
      face={
        <>
          <span class="initials" aria-hidden="true">
            {initialsOf(name)}
          </span>
          <span class="account-name">
            <span>{name}</span>
            {role !== undefined && <small>{texts.value.roles[role]}</small>}
          </span>
          <Icon name="up-down" />
        </>
      }
    >
      <Account />
    </Popover>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.[0] ?? '').join('');
}
