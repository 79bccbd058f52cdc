import { computed, effect } from '@preact/signals';
import { organizationId } from '../api/organization.ts';
import { withOrganization } from '../router/address.ts';
import { address, organizationInLinks, replaceAddress } from '../router/router.ts';
import { session, showOrganization } from './session.ts';

const KEPT = 'tagtrail.wanted';

/** As long as the console waits for the identity provider's answer. */
const LASTS_MS = 600_000;

/** The address is about an organization that the user is not a member of: of that nothing can be shown. */
export const isForeignAddress = computed(() => {
  const { organization } = address.value;
  return organization !== null && session.value != null && !isMember(organization);
});

const isOfSeveral = computed(() => (session.value?.memberships.length ?? 0) > 1);

/**
 * Goes with the address from one organization to another, as links and the back button do. Members of several have it in
 * every address, in one typed without it too; for others it goes without saying.
 */
export function startOrganizationInAddress(): void {
  effect(() => {
    organizationInLinks.value = isOfSeveral.value ? organizationId.value : null;
  });
  effect(() => {
    const { organization } = address.value;
    const present = organizationId.peek();
    if (organization !== null && isMember(organization)) {
      showOrganization(organization);
    } else if (organization === null && isOfSeveral.value && present !== null) {
      replaceAddress(withOrganization(location.hash, present));
    }
  });
}

function isMember(organization: number): boolean {
  return session.value?.memberships.some(({ organization: { id } }) => id === organization) === true;
}

/** Keeps, before this tab leaves for the identity provider, which address was opened: from there one comes back to none. */
export function keepWantedAddress(): void {
  if (!/^#?\/?$|^#\/sign-in/.test(location.hash)) {
    sessionStorage.setItem(KEPT, JSON.stringify({ hash: location.hash, at: Date.now() }));
  }
}

/** Returns to the address that was asked for before signing in. Somebody who was refused may still try again. */
export function goOnToWantedAddress(): void {
  const kept = sessionStorage.getItem(KEPT);
  if (kept === null || location.hash.startsWith('#/sign-in')) {
    return;
  }
  sessionStorage.removeItem(KEPT);
  const { hash, at } = JSON.parse(kept) as { hash: string; at: number };
  if (/^#?\/?$/.test(location.hash) && Date.now() - at < LASTS_MS) {
    replaceAddress(hash);
  }
}
