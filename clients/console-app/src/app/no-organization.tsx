import { EmptyState } from '../parts/empty-state.tsx';
import { texts } from '../texts/texts.ts';

/** Whose last membership was taken away. */
export function NoOrganization() {
  const t = texts.value.shell;
  return <EmptyState isPage icon="people" title={t.noOrganization} hint={t.noOrganizationHint} />;
}
