import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../../../ui/parts/icon.tsx';
import { read } from '../api/send.ts';
import type { Found } from '../api/types.ts';
import { useRead } from '../api/use-read.ts';
import { address, go, href } from '../router/router.ts';
import { visibleScreens } from '../screens/index.ts';
import { may } from '../session/session.ts';
import { type Texts, texts } from '../texts/texts.ts';
import { onKey } from './shortcuts.ts';

/** Milliseconds after the last key. */
const PAUSE_MS = 150;

/**
 * One box for everything with a name, a key or a tag, and for screens and actions. Enter opens the chosen result, without
 * one the thing that is called exactly so, or all results.
 */
export function FindBox() {
  const t = texts.value.shell;
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const asked = address.value.path[0] === 'find' ? (address.value.query.get('q') ?? '') : '';
  const [text, setText] = useState(asked);
  const [q, setQ] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => onKey('/', () => input.current?.select()), []);
  const listAll = () => {
    input.current?.focus();
    setText('');
    setAt(null);
    setOpen(true);
  };
  useEffect(() => onKey('k', listAll, { isWithCtrl: true }), []);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => setText(asked), [asked]);
  const { answer } = useRead<{ data: Found }>(isOpen && q !== '' ? '/find' : null, { q });
  const answers = isOpen ? answersOf(answer?.data, text.trim(), t) : [];
  const isShown = isOpen && answers.length > 0;

  const open = (to: string) => {
    setOpen(false);
    setAt(null);
    input.current?.blur();
    go(to);
  };
  const onInput = (value: string) => {
    setText(value);
    setOpen(true);
    setAt(null);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQ(value.trim()), PAUSE_MS);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && isShown) {
      event.preventDefault();
      setAt(((at ?? (step === 1 ? -1 : 0)) + step + answers.length) % answers.length);
    } else if (event.key === 'Escape') {
      setOpen(false);
    }
  };
  return (
    <search class="find">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const chosen = at === null ? undefined : answers[at];
          if (chosen !== undefined) {
            open(chosen.to);
          } else if (text.trim() !== '') {
            setOpen(false);
            void whereTo(text.trim()).then(open);
          }
        }}
      >
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          enterkeyhint="search"
          name="find"
          role="combobox"
          aria-label={t.find}
          aria-expanded={isShown}
          aria-controls="find-list"
          aria-autocomplete="list"
          aria-activedescendant={isShown && at !== null ? `find-${at}` : undefined}
          placeholder={t.findHint}
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={() => setOpen(false)}
        />
        <kbd>/</kbd>
        <FindList isOpen={isShown} label={t.find} answers={answers} at={at} onOpen={open} />
      </form>
    </search>
  );
}

/** The suggestions of the find box; the focus stays in the box. */
function FindList({
  isOpen,
  label,
  answers,
  at,
  onOpen,
}: {
  isOpen: boolean;
  label: string;
  answers: readonly FindAnswer[];
  at: number | null;
  onOpen: (to: string) => void;
}) {
  return (
    <div id="find-list" class="find-list choices" role="listbox" aria-label={label} hidden={!isOpen}>
      {answers.map(({ key, icon, title, sub, to }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the input's
        <div
          key={key}
          id={`find-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          // Before the input loses the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onOpen(to)}
        >
          <Icon name={icon} />
          <span class="title">{title}</span>
          <span class="faint">{sub}</span>
        </div>
      ))}
    </div>
  );
}

/** A line below the find box, which leads somewhere. */
interface FindAnswer {
  key: string;
  icon: IconName;
  title: string;
  sub: string;
  to: string;
}

const MOST = { assets: 6, locations: 3 };

/** The only thing that has exactly this name, key or tag; otherwise the screen with all that was found. */
async function whereTo(q: string): Promise<string> {
  const all = href('find', { q });
  const { data } = await read<{ data: Found }>('/find', { query: { q } }).catch(() => ({ data: undefined }));
  const isExact = (...names: readonly string[]) =>
    names.some((name) => name.toLocaleLowerCase() === q.toLocaleLowerCase());
  const exact = [
    ...(data?.assets ?? [])
      .filter(({ name, external_key: key, tags }) => isExact(name, key, ...tags.map(({ value }) => value)))
      .map(({ id }) => href('asset', id)),
    ...(data?.locations ?? [])
      .filter(({ name, external_key: key }) => isExact(name, key))
      .map(({ id }) => href('place', id)),
  ];
  return exact.length === 1 ? (exact[0] ?? all) : all;
}

/** The first assets and places, screens and actions of that name, and the screen with all that was found. */
function answersOf(found: Found | undefined, q: string, t: Texts['shell']): readonly FindAnswer[] {
  const assets = (found?.assets ?? []).slice(0, MOST.assets).map((asset) => ({
    key: `asset ${asset.id}`,
    icon: 'asset' as const,
    title: asset.name,
    sub: [asset.external_key, asset.location?.name].filter(Boolean).join(' · '),
    to: href('asset', asset.id),
  }));
  const places = (found?.locations ?? []).slice(0, MOST.locations).map((place) => ({
    key: `place ${place.id}`,
    icon: 'place' as const,
    title: place.name,
    sub: `${place.external_key} · ${texts.value.find.assetsHere(place.assets_here)}`,
    to: href('place', place.id),
  }));
  const commands = commandsFor(q).map((command) => ({ ...command, key: command.to, sub: '' }));
  const all = { key: 'all', icon: 'search' as const, title: t.findAll(q), sub: '', to: href('find', { q }) };
  return q === '' ? commands : [...assets, ...places, ...commands, all];
}

interface Command {
  icon: IconName;
  title: string;
  to: string;
}

const MOST_COMMANDS = 4;

/** Screens and actions that have the text in their names; all of them without a text. */
function commandsFor(text: string): readonly Command[] {
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
    : commands.filter(({ title }) => title.toLocaleLowerCase().includes(sought)).slice(0, MOST_COMMANDS);
}
