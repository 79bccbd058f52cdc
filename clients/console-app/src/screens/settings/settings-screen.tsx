import { useLayoutEffect, useState } from 'preact/hooks';
import { patch } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { CardForm } from '../../parts/card-form.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Field } from '../../parts/field.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { SectionTabs } from '../../parts/section-tabs.tsx';
import { toast } from '../../parts/toast.tsx';
import { may, membership, noteOrganizationName } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AccountSection } from './account-section.tsx';
import { ChangesSection } from './changes/changes-section.tsx';
import { HandheldsSection } from './handhelds/handhelds-section.tsx';
import { HealthSection } from './health/health-section.tsx';
import { KeysSection } from './keys-section.tsx';
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

/** `#/settings/organization`: what it is called. */
function OrganizationSection() {
  const t = texts.value.settings;
  const { id, name: present } = membership.value?.organization ?? { id: 0, name: '' };
  const [name, setName] = useState(present);
  useLayoutEffect(() => setName(present), [present]);
  const action = useAction();
  const { problem } = action;
  const rename = async () => {
    await patch('/organization', { name });
    noteOrganizationName(id, name);
    toast(texts.value.common.saved);
  };
  return (
    <div class="cards">
      <CardForm
        title={t.sections.organization}
        submit={texts.value.common.save}
        action={action}
        shown={['name']}
        isReady={name !== present}
        onSubmit={rename}
      >
        <Field
          label={t.organizationName}
          hint={t.organizationNameHint}
          name="name"
          required
          maxLength={255}
          value={name}
          fault={faultOf(problem, 'name')}
          onValue={setName}
        />
      </CardForm>
    </div>
  );
}
