import { ConfirmDialog } from '../parts/confirm.tsx';
import { Toasts } from '../parts/toast.tsx';
import { isForeignAddress } from '../session/organization-in-address.ts';
import { membership } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { ForeignOrganization } from './foreign-organization.tsx';
import { NoOrganization } from './no-organization.tsx';
import { Rail } from './rail.tsx';
import { ScreenView } from './screen-view.tsx';
import { Tabs } from './tabs.tsx';
import { TopBar } from './top-bar.tsx';

export function Shell() {
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {texts.value.shell.skip}
      </button>
      <Rail />
      <TopBar />
      <main class="main" id="main" tabIndex={-1}>
        <Inside />
      </main>
      <Tabs />
      <Toasts />
      <ConfirmDialog />
    </div>
  );
}

function Inside() {
  if (membership.value === null) {
    return <NoOrganization />;
  }
  return isForeignAddress.value ? <ForeignOrganization /> : <ScreenView />;
}
