import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SectionTabs } from '../../parts/section-tabs.tsx';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AccountSection } from './account-section.tsx';
import { ChangesSection } from './changes/changes-section.tsx';
import { HandheldsSection } from './handhelds/handhelds-section.tsx';
import { HealthSection } from './health/health-section.tsx';
import { KeysSection } from './keys-section.tsx';
import { OrganizationSection } from './organization-section.tsx';
import { UsersSection } from './users-section.tsx';
import { WebhooksSection } from './webhooks/webhooks-section.tsx';

/** In the order of the tabs. */
const SECTIONS = [
  { path: 'account', role: 'viewer', View: AccountSection },
  { path: 'organization', role: 'admin', View: OrganizationSection },
  { path: 'users', role: 'admin', View: UsersSection },
  { path: 'keys', role: 'admin', View: KeysSection },
  { path: 'handhelds', role: 'admin', View: HandheldsSection },
  { path: 'webhooks', role: 'admin', View: WebhooksSection },
  { path: 'changes', role: 'viewer', View: ChangesSection },
  { path: 'health', role: 'admin', View: HealthSection },
] as const;

/** `#/settings/users` */
export function SettingsScreen({ rest: [path = 'account'] }: { rest: readonly string[] }) {
  const t = texts.value.settings;
  const sections = SECTIONS.filter(({ role }) => may(role));
  const section = sections.find((each) => each.path === path);
  return (
    <div class="page">
      <PageHead title={texts.value.screens.settings} />
      <SectionTabs
        label={t.sectionsLabel}
        screen="settings"
        sections={sections.map((each) => ({ path: each.path, word: t.sections[each.path] }))}
        current={path}
      />
      {section === undefined ? (
        <EmptyState icon="search" title={texts.value.shell.noScreen} hint={texts.value.shell.noScreenHint} />
      ) : (
        <section.View />
      )}
    </div>
  );
}
