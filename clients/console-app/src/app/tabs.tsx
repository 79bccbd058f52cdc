import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { SideSheet } from '../parts/side-sheet.tsx';
import { address, href } from '../router/router.ts';
import { visibleScreens } from '../screens/index.ts';
import { texts } from '../texts/texts.ts';
import { Account } from './account.tsx';
import { OrganizationSwitch } from './organization-switch.tsx';

/** On phones: the first screens, in reach of the thumb, and a sheet with all. */
export function Tabs() {
  const [isOpen, setOpen] = useState(false);
  const screens = visibleScreens();
  const [current] = address.value.path;
  // By whatever way another screen is reached, the browser's Back included.
  useEffect(() => setOpen(false), [current]);
  const first = screens.filter(({ isTab }) => isTab === true).slice(0, 4);
  const listed = screens.filter(({ isOfOne }) => isOfOne !== true);
  const isElsewhere = !first.some(({ path }) => path === current);
  return (
    <>
      <nav class="tabs" aria-label={texts.value.shell.mainScreens}>
        {first.map(({ path, icon }) => (
          <a key={path} href={href(path)} aria-current={current === path ? 'page' : undefined}>
            <Icon name={icon} />
            {texts.value.screens[path]}
          </a>
        ))}
        <button
          type="button"
          class={isElsewhere ? 'is-current' : undefined}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <Icon name="more" />
          {texts.value.shell.more}
        </button>
      </nav>
      {isOpen && (
        <SideSheet title={texts.value.shell.more} onClose={() => setOpen(false)}>
          <div class="stack">
            <OrganizationSwitch />
            <ul class="more-screens">
              {listed.map(({ path, icon }) => (
                <li key={path}>
                  <a
                    class="rail-link"
                    href={href(path)}
                    aria-current={current === path ? 'page' : undefined}
                    onClick={() => setOpen(false)}
                  >
                    <Icon name={icon} />
                    <span>{texts.value.screens[path]}</span>
                  </a>
                </li>
              ))}
            </ul>
            <Account />
          </div>
        </SideSheet>
      )}
    </>
  );
}
