import { organizationId } from '../api/organization.ts';
import { withOrganization } from '../router/address.ts';
import { address, go, href } from '../router/router.ts';
import { membership, session } from '../session/session.ts';
import { texts } from '../texts/texts.ts';

/** The page shows one organization; most people have one only. */
export function OrganizationSwitch() {
  const memberships = session.value?.memberships ?? [];
  if (memberships.length < 2) {
    return <p class="organization">{membership.value?.organization.name}</p>;
  }
  return (
    <label class="organization">
      <span class="unseen">{texts.value.shell.organization}</span>
      <select
        value={String(organizationId.value)}
        onChange={(event) => {
          const { currentTarget: select } = event;
          // Ids and filters are those of the organization before.
          const to = withOrganization(href(address.value.path[0] ?? ''), Number(select.value));
          // It follows the address, once what is unsaved may be left.
          select.value = String(organizationId.value);
          go(to);
        }}
      >
        {memberships.map(({ organization }) => (
          <option key={organization.id} value={String(organization.id)}>
            {organization.name}
          </option>
        ))}
      </select>
    </label>
  );
}
