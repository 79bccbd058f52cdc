import { computed, effect } from '@preact/signals';
import { organizationId } from '../api/organization.ts';
import { withOrganization } from '../router/address.ts';
import { address, organizationInLinks, replaceAddress } from '../router/router.ts';
import { session, showOrganization } from './session.ts';

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
