import type { IconName } from '../../../ui/parts/icon.tsx';
import { href } from '../router/router.ts';
import { visibleScreens } from '../screens/index.ts';
import { may } from '../session/session.ts';
import { texts } from '../texts/texts.ts';

export interface Command {
  icon: IconName;
  title: string;
  to: string;
}

const MOST = 4;

/** Screens and actions that have the text in their names; all of them without a text. */
export function commandsFor(text: string): readonly Command[] {
  const { screens, assets, places, readers, rules, settings } = texts.value;
  const { sections } = settings;
  const commands: Command[] = [
    ...(may('operator')
      ? [
          { icon: 'plus' as const, title: assets.add, to: href('assets', { open: 'new' }) },
          { icon: 'plus' as const, title: places.add, to: href('places', { open: 'new' }) },
        ]
      : []),
    ...(may('admin')
      ? [
          { icon: 'plus' as const, title: readers.add, to: href('readers', 'new') },
          { icon: 'plus' as const, title: rules.add, to: href('rules', 'new') },
        ]
      : []),
    ...visibleScreens()
      .filter(({ isOfOne }) => isOfOne !== true)
      .map(({ path, icon }) => ({ icon, title: screens[path], to: href(path) })),
    ...(may('admin') ? (['users', 'keys', 'handhelds', 'webhooks', 'health'] as const) : []).map(
      (section) => ({
        icon: 'settings' as const,
        title: `${screens.settings}: ${sections[section]}`,
        to: href('settings', section),
      }),
    ),
  ];
  const sought = text.toLocaleLowerCase();
  return sought === ''
    ? commands
    : commands.filter(({ title }) => title.toLocaleLowerCase().includes(sought)).slice(0, MOST);
}
