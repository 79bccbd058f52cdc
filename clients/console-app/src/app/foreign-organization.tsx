import { EmptyState } from '../parts/empty-state.tsx';
import { href } from '../router/router.ts';
import { membership, session } from '../session/session.ts';
import { texts } from '../texts/texts.ts';

/** Somebody followed a link into an organization they are not a member of; whether there is one is not said. */
export function ForeignOrganization() {
  const t = texts.value.shell;
  return (
    <EmptyState
      isPage
      icon="people"
      title={t.foreignOrganization}
      hint={t.foreignOrganizationHint(session.value?.user.email ?? '')}
    >
      <a class="primary" href={href()}>
        {t.toOwnOrganization(membership.value?.organization.name ?? '')}
      </a>
    </EmptyState>
  );
}
