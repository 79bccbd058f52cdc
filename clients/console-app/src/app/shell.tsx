import { Component, type ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Choice } from '../../../ui/parts/choice.tsx';
import { Icon } from '../../../ui/parts/icon.tsx';
import { Mark } from '../../../ui/parts/mark.tsx';
import { organizationId } from '../api/organization.ts';
import { serverNow } from '../api/server-clock.ts';
import { useAction } from '../api/use-action.ts';
import { useInboxCounts } from '../live/inbox-counts.ts';
import { liveState, startLive } from '../live/live.ts';
import { canNotify, chooseToNotify, notifies, openAlerts, useOpenAlerts } from '../live/open-alerts.ts';
import { ConfirmDialog } from '../parts/confirm.tsx';
import { EmptyState, NoScreen } from '../parts/empty-state.tsx';
import { instantText } from '../parts/instant.tsx';
import { Words } from '../parts/page-head.tsx';
import { Popover } from '../parts/popover.tsx';
import { isPrinting, loadingWhole, shownFilters } from '../parts/printing.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Progress } from '../parts/progress.tsx';
import { SideSheet } from '../parts/side-sheet.tsx';
import { Toasts, toast } from '../parts/toast.tsx';
import { withOrganization } from '../router/address.ts';
import { address, go, href, replaceAddress } from '../router/router.ts';
import { SCREEN_GROUPS, type Screen, type ScreenComponent, visibleScreens } from '../screens/index.ts';
import { isForeignAddress } from '../session/addresses.ts';
import { membership, session, signOut } from '../session/session.ts';
import { codes, language, texts } from '../texts/texts.ts';
import { FindBox } from './find-box.tsx';
import { chooseLanguage, chooseTheme, theme } from './preferences.ts';
import { onKey } from './shortcuts.ts';

export function Shell() {
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {texts.value.shell.skip}
      </button>
      <Rail />
      <TopBar />
      <main class="main" id="main" tabIndex={-1}>
        {isPrinting.value && <PrintHead />}
        <Inside />
      </main>
      <Tabs />
      <Toasts />
      <LoadingWhole />
      <ConfirmDialog />
    </div>
  );
}

/** How far the rows that are printed or saved are loaded. */
function LoadingWhole() {
  const t = texts.value.common;
  const loading = loadingWhole.value;
  return loading === null ? null : (
    <div class="loading-to-print card" role="status">
      <Progress label={t.loadingWhole(loading.done)} done={loading.done} of={loading.of} />
      <button type="button" class="small secondary" onClick={loading.stop}>
        {t.cancel}
      </button>
    </div>
  );
}

/** On paper: of which organization, what narrows the list, and as of when. */
function PrintHead() {
  const parts = [membership.value?.organization.name ?? '', ...shownFilters()];
  return (
    <p class="print-head">
      {parts.filter((part) => part !== '').join(' · ')} ·{' '}
      {instantText(new Date(serverNow()).toISOString(), true)}
    </p>
  );
}

function Inside() {
  if (membership.value === null) {
    return <NoOrganization />;
  }
  return isForeignAddress.value ? <ForeignOrganization /> : <ScreenView />;
}

/** For a link into an organization without membership; does not reveal whether it exists. */
function ForeignOrganization() {
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

/** For a user whose last membership was removed. */
function NoOrganization() {
  const t = texts.value.shell;
  return <EmptyState isPage icon="people" title={t.noOrganization} hint={t.noOrganizationHint} />;
}

function Rail() {
  useInboxCounts();
  useOpenAlerts();
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

function AccountMenu() {
  const name = session.value?.user.name ?? '';
  const role = membership.value?.role;
  return (
    <Popover
      class="account"
      label={texts.value.shell.account(name)}
      face={
        <>
          <span class="initials" aria-hidden="true">
            {initialsOf(name)}
          </span>
          <span class="account-name">
            <span>{name}</span>
            {role !== undefined && <small>{texts.value.roles[role]}</small>}
          </span>
          <Icon name="up-down" />
        </>
      }
    >
      <Account />
    </Popover>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.[0] ?? '').join('');
}

/** The screen that the address names. Each other path below it is the screen's own: it starts afresh. */
function ScreenView() {
  const { path } = address.value;
  const screens = visibleScreens();
  const [first] = screens;
  const screen = screens.find((each) => each.path === path[0]);
  // The identity provider leads back to the address of the sign-in.
  const isNowhere = path.length === 0 || path[0] === 'sign-in';
  // At once: later the user may have gone elsewhere.
  useLayoutEffect(() => {
    if (isNowhere && first !== undefined) {
      replaceAddress(href(first.path));
    }
  }, [isNowhere, first]);
  if (isNowhere) {
    return null;
  }
  if (screen === undefined) {
    return <NoScreen />;
  }
  const key = `${organizationId.value} ${path.join('/')}`;
  return (
    <ScreenBoundary key={key}>
      <Loaded screen={screen} />
    </ScreenBoundary>
  );
}

function Loaded({ screen }: { screen: Screen }) {
  const View = useLoaded(screen);
  const alerts = openAlerts.value === 0 ? '' : `(${texts.value.inbox.upTo(openAlerts.value)}) `;
  useEffect(() => {
    document.title = `${alerts}${texts.value.screens[screen.path]} · tagtrail`;
  });
  // Most come within a blink; what takes longer is seen to be on its way.
  return View === undefined ? (
    <p class="loading" role="status">
      {texts.value.shell.loading}
    </p>
  ) : (
    <View rest={address.value.path.slice(1)} />
  );
}

/** A screen that fails takes no other with it. */
class ScreenBoundary extends Component<{ children: ComponentChildren }, { failure: unknown }> {
  override state: { failure: unknown } = { failure: undefined };

  static override getDerivedStateFromError(failure: unknown) {
    return { failure };
  }

  override componentDidCatch(failure: unknown): void {
    if (!(failure instanceof NotLoaded)) {
      console.error(failure);
    }
  }

  override render() {
    const t = texts.value.shell;
    const { failure } = this.state;
    if (failure === undefined) {
      return this.props.children;
    }
    const isNotLoaded = failure instanceof NotLoaded;
    return (
      <EmptyState
        isPage
        icon="problem"
        title={isNotLoaded ? t.notLoaded : t.screenFailed}
        hint={isNotLoaded ? t.notLoadedHint : t.screenFailedHint}
      >
        {!isNotLoaded && <p class="mono hint">{String(failure)}</p>}
        <button type="button" class="secondary" onClick={() => location.reload()}>
          {t.reload}
        </button>
      </EmptyState>
    );
  }
}

/** The file of a screen did not come: the network failed, or a new version has replaced it. */
class NotLoaded extends Error {}

const loaded = new Map<Screen['path'], ScreenComponent>();

/** The screen's component, once its file has come. @throws NotLoaded if the file does not come. */
function useLoaded(screen: Screen): ScreenComponent | undefined {
  const [, setLoaded] = useState<ScreenComponent | undefined>();
  const [failure, setFailure] = useState<NotLoaded | undefined>();
  useEffect(() => {
    let isGone = false;
    screen.load().then(
      (component) => {
        loaded.set(screen.path, component);
        // A function given to a setter would be called.
        isGone || setLoaded(() => component);
      },
      (error: unknown) => isGone || setFailure(new NotLoaded(screen.path, { cause: error })),
    );
    return () => {
      isGone = true;
    };
  }, [screen]);
  if (failure !== undefined) {
    throw failure;
  }
  return loaded.get(screen.path);
}

/** On phones: the first screens, in reach of the thumb, and a sheet with all. */
function Tabs() {
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
              {listed.map(({ path, icon, count }) => (
                <li key={path}>
                  <a
                    class="rail-link"
                    href={href(path)}
                    aria-current={current === path ? 'page' : undefined}
                    onClick={() => setOpen(false)}
                  >
                    <Icon name={icon} />
                    <span>{texts.value.screens[path]}</span>
                    {count !== undefined && <RailCount count={count()} />}
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

function TopBar() {
  const [isHelp, setHelp] = useState(false);
  useEffect(() => onKey('?', () => setHelp(true)), []);
  return (
    <header class="top">
      <a class="top-brand" href={href()} aria-label={texts.value.shell.home}>
        <Mark />
      </a>
      <FindBox />
      <LiveChip />
      <button
        type="button"
        class="quiet"
        aria-label={texts.value.shell.help}
        title={`${texts.value.shell.help}  ?`}
        onClick={() => setHelp(true)}
      >
        <Icon name="help" />
      </button>
      {isHelp && <HelpSheet onClose={() => setHelp(false)} />}
    </header>
  );
}

function HelpSheet({ onClose }: { onClose: () => void }) {
  const t = texts.value.help;
  return (
    <SideSheet title={t.title} onClose={onClose}>
      <div class="stack">
        <h3>{t.keys}</h3>
        <dl class="keys">
          {t.keyList.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <h3>{t.words}</h3>
        <Words of={t.wordList} />
        {Object.values(t.about).map(({ title, says }) => (
          <>
            <h3>{title}</h3>
            <Words of={says} />
          </>
        ))}
      </div>
    </SideSheet>
  );
}

/** Keeps the connection for live moves, and says whether there is one. */
function LiveChip() {
  const organization = organizationId.value;
  useEffect(() => (organization === null ? undefined : startLive(organization)), [organization]);
  const t = texts.value.shell;
  return (
    <p class={`live live-${liveState.value}`} role="status">
      {liveState.value === 'lost' ? t.reconnecting : liveState.value === 'open' ? t.live : ''}
    </p>
  );
}

const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

async function notify(box: HTMLInputElement): Promise<void> {
  const isWanted = box.checked;
  await chooseToNotify(isWanted);
  box.checked = notifies.value;
  if (isWanted && !notifies.value) {
    toast(texts.value.shell.notifyBlocked);
  }
}

/** The signed-in user, and this device's display settings. */
function Account() {
  const t = texts.value.shell;
  const action = useAction();
  return (
    <div class="stack">
      <div>
        <strong>{session.value?.user.name}</strong>
        <p class="hint">{session.value?.user.email}</p>
      </div>
      <Choice
        label={t.colours}
        options={(['auto', 'light', 'dark'] as const).map((value) => ({ value, word: t.themes[value] }))}
        value={theme.value}
        onChoose={chooseTheme}
      />
      <Choice
        label={t.language}
        options={codes.map((value) => ({ value, word: LANGUAGES[value] }))}
        value={language.value}
        onChoose={(code) => void chooseLanguage(code)}
      />
      {canNotify && (
        <label class="check">
          <input
            type="checkbox"
            checked={notifies.value}
            onChange={({ currentTarget: box }) => void notify(box)}
          />
          {t.notify}
        </label>
      )}
      {action.problem !== null && <ProblemNote problem={action.problem} />}
      <button
        type="button"
        class="secondary"
        disabled={action.isBusy}
        onClick={() => void action.run(signOut)}
      >
        {t.signOut}
      </button>
    </div>
  );
}

/** The page shows one organization; most people have one only. */
function OrganizationSwitch() {
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
