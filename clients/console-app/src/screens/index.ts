import type { ComponentType } from 'preact';
import type { IconName } from '../../../ui/parts/icon.tsx';
import { inboxCount } from '../live/inbox-counts.ts';
import { openAlerts } from '../live/open-alerts.ts';
import type { Role } from '../session/session.ts';
import { may } from '../session/session.ts';
import type { Texts } from '../texts/texts.ts';

/** `rest` is the path behind the screen's own: `['17']` at `#/assets/17`. */
export type ScreenComponent = ComponentType<{ rest: readonly string[] }>;

export interface Screen {
  /** The first part of the address; its title is the text of this name in `screens`. */
  path: keyof Texts['screens'];
  icon: IconName;
  /** The roles that see it in the rail. Null: it has an address, and no entry in the rail. */
  group: (typeof SCREEN_GROUPS)[number] | null;
  role: Role;
  /** In reach of the thumb on phones, as the first four are. */
  isTab?: true;
  /** Shows one thing, named in the address behind the path: no menu leads there. */
  isOfOne?: true;
  /** The number of waiting items, up to a hundred; shown in the rail. */
  count?: () => number;
  /** Imported when first opened. */
  load: () => Promise<ScreenComponent>;
}

export const SCREEN_GROUPS = ['look', 'things', 'work', 'settings'] as const;

/** In the order of the rail, the start screen first. */
export const SCREENS: readonly Screen[] = [
  {
    path: 'now',
    icon: 'now',
    group: 'look',
    role: 'viewer',
    isTab: true,
    load: () => import('./now/now-screen.tsx').then(({ NowScreen }) => NowScreen),
  },
  {
    path: 'plan',
    icon: 'plan',
    group: 'look',
    role: 'viewer',
    isTab: true,
    load: () => import('./plan/plan-screen.tsx').then(({ PlanScreen }) => PlanScreen),
  },
  {
    path: 'find',
    icon: 'search',
    group: 'look',
    role: 'viewer',
    isTab: true,
    load: () => import('./find/find-screen.tsx').then(({ FindScreen }) => FindScreen),
  },
  {
    path: 'asset',
    icon: 'asset',
    group: null,
    role: 'viewer',
    isOfOne: true,
    load: () => import('./asset/asset-screen.tsx').then(({ AssetScreen }) => AssetScreen),
  },
  {
    path: 'place',
    icon: 'place',
    group: null,
    role: 'viewer',
    isOfOne: true,
    load: () => import('./place/place-screen.tsx').then(({ PlaceScreen }) => PlaceScreen),
  },
  {
    path: 'assets',
    icon: 'asset',
    group: 'things',
    role: 'viewer',
    isTab: true,
    load: () => import('./assets/assets-screen.tsx').then(({ AssetsScreen }) => AssetsScreen),
  },
  {
    path: 'places',
    icon: 'places',
    group: 'things',
    role: 'viewer',
    load: () => import('./places/places-screen.tsx').then(({ PlacesScreen }) => PlacesScreen),
  },
  {
    path: 'import',
    icon: 'upload',
    group: null,
    role: 'operator',
    load: () => import('./import/import-screen.tsx').then(({ ImportScreen }) => ImportScreen),
  },
  {
    path: 'reports',
    icon: 'chart',
    group: 'look',
    role: 'viewer',
    load: () => import('./reports/reports-screen.tsx').then(({ ReportsScreen }) => ReportsScreen),
  },
  {
    path: 'inbox',
    icon: 'inbox',
    group: 'work',
    role: 'viewer',
    count: inboxCount,
    load: () => import('./inbox/inbox-screen.tsx').then(({ InboxScreen }) => InboxScreen),
  },
  {
    path: 'readers',
    icon: 'reader',
    group: 'work',
    role: 'viewer',
    load: () => import('./readers/readers-screen.tsx').then(({ ReadersScreen }) => ReadersScreen),
  },
  {
    path: 'alerts',
    icon: 'bell',
    group: 'work',
    role: 'viewer',
    count: () => openAlerts.value,
    load: () => import('./alerts/alerts-screen.tsx').then(({ AlertsScreen }) => AlertsScreen),
  },
  {
    path: 'rules',
    icon: 'sweep',
    group: 'work',
    role: 'viewer',
    load: () => import('./rules/rules-screen.tsx').then(({ RulesScreen }) => RulesScreen),
  },
  {
    path: 'locating',
    icon: 'locating',
    group: 'work',
    role: 'viewer',
    load: () => import('./locating/locating-screen.tsx').then(({ LocatingScreen }) => LocatingScreen),
  },
  {
    path: 'labels',
    icon: 'print',
    group: null,
    role: 'viewer',
    load: () => import('./labels/labels-screen.tsx').then(({ LabelsScreen }) => LabelsScreen),
  },
  {
    path: 'settings',
    icon: 'settings',
    group: 'settings',
    role: 'viewer',
    load: () => import('./settings/settings-screen.tsx').then(({ SettingsScreen }) => SettingsScreen),
  },
];

export function visibleScreens(): readonly Screen[] {
  return SCREENS.filter(({ role }) => may(role));
}
