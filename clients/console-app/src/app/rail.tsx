import { Icon } from '../../../ui/parts/icon.tsx';
import { Mark } from '../../../ui/parts/mark.tsx';
import { useInboxCounts } from '../live/inbox-counts.ts';
import { address, href } from '../router/router.ts';
import { SCREEN_GROUPS, visibleScreens } from '../screens/index.ts';
import { texts } from '../texts/texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { OrganizationSwitch } from './organization-switch.tsx';

export function Rail() {
  useInboxCounts();
  const screens = visibleScreens();
  const [current] = address.value.path;
  return (
    <nav class="rail" aria-label={texts.value.shell.screens}>
      <a class="rail-brand" href={href()} aria-label={texts.value.shell.home}>
        <Mark />
        <span>tagtrail</span>
      </a>
      <OrganizationSwitch />
      <div class="rail-screens">
        {SCREEN_GROUPS.map((group) => {
          const inGroup = screens.filter((screen) => screen.group === group);
          return (
            inGroup.length > 0 && (
              <ul key={group}>
                {inGroup.map(({ path, icon, count }) => (
                  <li key={path}>
                    <a
                      class="rail-link"
                      href={href(path)}
                      aria-current={current === path ? 'page' : undefined}
                      title={texts.value.screens[path]}
                    >
                      <Icon name={icon} />
                      <span>{texts.value.screens[path]}</span>
                      {count !== undefined && <RailCount count={count()} />}
                    </a>
                  </li>
                ))}
              </ul>
            )
          );
        })}
      </div>
      <AccountMenu />
    </nav>
  );
}

function RailCount({ count }: { count: number }) {
  return count === 0 ? null : <span class="rail-count">{texts.value.inbox.upTo(count)}</span>;
}
