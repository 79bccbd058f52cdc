import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { post, remove } from '../../api/send.ts';
import type { Asset, AttachedTag, Found, UnknownTag } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { useEnter } from '../../parts/use-keys.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { IgnoreButton, LastRead, Strength } from './tag-columns.tsx';

/** `shown` is the row in the list; a link may lead to a tag on another page of it. */
export function TagSheet({
  id,
  shown,
  reload,
  onClose,
}: {
  id: string;
  shown: UnknownTag | undefined;
  reload: () => void;
  onClose: () => void;
}) {
  const t = texts.value.inbox;
  const value = id.slice(id.indexOf(':') + 1);
  const { answer, problem } = useRead<{ data: readonly UnknownTag[] }>(
    shown === undefined ? '/unknown-tags' : null,
    { q: value },
  );
  const tag = shown ?? answer?.data.find((each) => each.id === id);
  const { run, isBusy, problem: refused } = useAction();

  const attach = async (pick: Pick) => {
    if (pick.kind === 'new') {
      await post('/assets', { name: pick.name, tags: [{ tag_type: tag?.tag_type, value }] });
      end(t.madeAsset(pick.name));
      return;
    }
    const path = `/unknown-tags/${encodeURIComponent(id)}/attach`;
    const { data } = await post<{ data: AttachedTag }>(path, { [`${pick.kind}_id`]: pick.id });
    end(t.attached(data.name), async () => {
      await remove(`/${data.to}s/${data.id}/tags/${data.tag_id}`);
      toast(t.detachedAgain(data.name));
      reload();
    });
  };
  const end = (text: string, undo?: () => unknown) => {
    onClose();
    reload();
    toast(text, undo);
  };

  return (
    <SideSheet
      title={value}
      sub={texts.value.tags.types[tag?.tag_type ?? 'rfid']}
      onClose={onClose}
      foot={
        tag !== undefined && may('operator') && <IgnoreButton tag={tag} class="danger" onDone={onClose} />
      }
    >
      <div class="stack">
        {problem !== null && <ProblemNote problem={problem} />}
        {tag === undefined && answer !== undefined && <p class="hint">{t.tagGone}</p>}
        {tag !== undefined && (
          <>
            {may('operator') && (
              <AttachPicker isBusy={isBusy} onPick={(pick) => void run(() => attach(pick))} />
            )}
            {refused !== null && <ProblemNote problem={refused} />}
            {tag.is_ambiguous && <p class="note note-problem">{t.ambiguousHint}</p>}
            <Facts tag={tag} />
          </>
        )}
      </div>
    </SideSheet>
  );
}

function Facts({ tag }: { tag: UnknownTag }) {
  const t = texts.value.inbox;
  const facts = [
    [t.strength, <Strength rssi={tag.last_read.rssi} />],
    [t.count, t.number(tag.count)],
    [t.lastSeen, <Instant at={tag.last_seen_at} />],
    [t.firstSeen, <Instant at={tag.first_seen_at} />],
    [t.readBy, <LastRead read={tag.last_read} t={t} />],
  ] as const;
  return (
    <dl class="facts">
      {facts.map(([term, fact]) => (
        <>
          <dt>{term}</dt>
          <dd>{fact}</dd>
        </>
      ))}
    </dl>
  );
}

type Pick = { kind: 'asset' | 'location'; id: number } | { kind: 'new'; name: string };

/** Milliseconds after the last key. */
const PAUSE_MS = 150;
const MOST = 8;

/** No entry is chosen until an arrow key or text chooses one. */
const UNCHOSEN = -1;

/**
 * Picks the owner of a tag: an asset or place, found while typing, or a new asset. Initially shows the newest assets;
 * Enter takes one only after an arrow key.
 */
function AttachPicker({ isBusy, onPick }: { isBusy: boolean; onPick: (pick: Pick) => void }) {
  const t = texts.value.inbox;
  const id = useId();
  const [text, setText] = useState('');
  const [q, setQ] = useState('');
  const [at, setAt] = useState(UNCHOSEN);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const newest = useRead<{ data: readonly Asset[] }>(q === '' ? '/assets' : null, {
    ...{ sort: '-created_at', limit: MOST, include_not_in_effect: true },
  });
  const found = useRead<{ data: Found }>(q === '' ? null : '/find', { q });
  const choices = q === '' ? newestChoices(newest.answer?.data) : foundChoices(found.answer?.data);
  const { answer, isCurrent } = q === '' ? newest : found;
  const isKnown = answer !== undefined;
  const isFound = isCurrent && text.trim() === q;
  const enter = useEnter(isFound, () => isBusy || (choices[at] !== undefined && onPick(choices[at].pick)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (isFound) {
        setAt(Math.max(0, Math.min(at + (event.key === 'ArrowDown' ? 1 : -1), choices.length - 1)));
      }
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (at !== UNCHOSEN) {
        enter.press();
      }
    }
  };
  return (
    <section class="attach" aria-label={t.attachTo}>
      <div class="field">
        <label for={id}>{t.attachTo}</label>
        <input
          id={id}
          role="combobox"
          autofocus
          aria-expanded={choices.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={!isFound || choices[at] === undefined ? undefined : `${id}-${at}`}
          placeholder={t.attachHint}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            const { value } = event.currentTarget;
            setText(value);
            setAt(value.trim() === '' ? UNCHOSEN : 0);
            enter.forget();
            clearTimeout(timer.current);
            timer.current = setTimeout(() => setQ(value.trim()), PAUSE_MS);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={`${id}-list`} class="choices" role="listbox" aria-label={q === '' ? t.newest : t.found}>
        {choices.map(({ key, icon, title, sub, pick }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the input's
          <div
            key={key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => isBusy || onPick(pick)}
          >
            <Icon name={icon} />
            <span class="title">{title}</span>
            <span class="mono faint">{sub}</span>
          </div>
        ))}
      </div>
      {isKnown && choices.length === 0 && <p class="hint">{q === '' ? t.noAssets : t.noneFound(q)}</p>}
      <button
        type="button"
        class="secondary"
        disabled={isBusy || text.trim() === ''}
        onClick={() => onPick({ kind: 'new', name: text.trim() })}
      >
        {text.trim() === '' ? t.newAssetHint : t.newAsset(text.trim())}
      </button>
    </section>
  );
}

interface Choice {
  key: string;
  icon: 'asset' | 'place';
  title: string;
  sub: string;
  pick: Pick;
}

function newestChoices(assets: readonly Asset[] = []): Choice[] {
  return assets.map((asset) => ({
    ...{ key: `asset ${asset.id}`, icon: 'asset' as const, title: asset.name, sub: asset.external_key },
    pick: { kind: 'asset', id: asset.id },
  }));
}

function foundChoices({ assets, locations }: Found = NOTHING): Choice[] {
  return [
    ...assets.slice(0, MOST).map((asset) => ({
      ...{ key: `asset ${asset.id}`, icon: 'asset' as const, title: asset.name, sub: asset.external_key },
      pick: { kind: 'asset' as const, id: asset.id },
    })),
    ...locations.slice(0, MOST / 2).map((place) => ({
      ...{ key: `place ${place.id}`, icon: 'place' as const, title: place.name, sub: place.external_key },
      pick: { kind: 'location' as const, id: place.id },
    })),
  ];
}

const NOTHING: Found = { assets: [], asset_count: 0, locations: [], location_count: 0 };
