import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ItemResource, useNames } from '../api/use-names.ts';
import { useRead } from '../api/use-read.ts';
import { texts } from '../texts/texts.ts';
import { useEnter } from './use-enter.ts';

export interface PickedItem {
  id: number;
  external_key: string;
  /** Looked up where it is not given. */
  name?: string;
}

type FoundItem = Required<PickedItem>;

/** Milliseconds after the last key. */
const PAUSE_MS = 150;

/** In the list, before an arrow key or what is typed has chosen. */
const UNCHOSEN = -1;

/**
 * One of the assets or of the places, found by typing. None is one of what can be chosen: emptied and left, it stays as it was. Of what is
 * listed before anything is typed, none is chosen by Enter until an arrow key was on it.
 */
export function ItemPicker({
  resource,
  label,
  hint,
  fault = null,
  none,
  picked,
  isReadOnly = false,
  onPick,
}: {
  resource: ItemResource;
  label: string;
  hint?: string;
  fault?: string | null;
  /** What it means that none is chosen. */
  none: string;
  picked: PickedItem | null;
  isReadOnly?: boolean;
  onPick: (item: PickedItem | null) => void;
}) {
  const id = useId();
  const names = useNames(resource, picked === null || picked.name !== undefined ? [] : [picked.external_key]);
  const shown = picked === null ? '' : shownOf({ name: names.get(picked.external_key), ...picked });
  const [text, setText] = useState(shown);
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(UNCHOSEN);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => {
    if (!isOpen) {
      setText(shown);
    }
  }, [shown]);
  const { answer, problem, isCurrent } = useRead<{ data: readonly FoundItem[] }>(
    isOpen ? `/${resource}` : null,
    {
      q,
      limit: 8,
      include_not_in_effect: true,
    },
  );
  const found = answer?.data ?? [];
  const choices = picked !== null && typed === '' ? [null, ...found] : found;
  const isFound = isOpen && isCurrent && typed === q;
  const choose = (item: FoundItem | null) => {
    onPick(item === null ? null : { id: item.id, external_key: item.external_key, name: item.name });
    setText(item === null ? '' : shownOf(item));
    close();
  };
  const close = () => {
    setOpen(false);
    setTyped('');
    setQ('');
    setAt(UNCHOSEN);
    clearTimeout(timer.current);
    enter.forget();
  };
  const leave = () => {
    close();
    setText(shown);
  };
  const enter = useEnter(isFound || problem !== null, () => {
    if (isFound && choices[at] !== undefined) {
      choose(choices[at]);
    } else if (document.activeElement !== input.current) {
      leave();
    }
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      if (isFound) {
        setAt(Math.max(0, Math.min(at + (event.key === 'ArrowDown' ? 1 : -1), choices.length - 1)));
      }
    } else if (event.key === 'Enter' && isOpen) {
      // What is typed is no choice yet: the form is not sent with the one before.
      event.preventDefault();
      if (at === UNCHOSEN) {
        leave();
      } else {
        enter.press();
      }
    } else if (event.key === 'Escape' && isOpen) {
      // The sheet stays open.
      event.preventDefault();
      event.stopPropagation();
      leave();
    }
  };
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isFound && choices[at] !== undefined ? `${id}-${at}` : undefined}
        aria-describedby={`${id}-says`}
        aria-invalid={fault !== null}
        autocomplete="off"
        spellcheck={false}
        readOnly={isReadOnly}
        placeholder={none}
        value={text}
        onFocus={(event) => {
          if (!isReadOnly) {
            // What is typed takes the place of what is there.
            event.currentTarget.select();
            setOpen(true);
          }
        }}
        // Who presses Enter and goes on at once has chosen.
        onBlur={() => enter.isWaiting() || leave()}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          setOpen(true);
          setTyped(value.trim());
          setAt(value.trim() === '' ? UNCHOSEN : 0);
          enter.forget();
          clearTimeout(timer.current);
          timer.current = setTimeout(() => setQ(value.trim()), PAUSE_MS);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} class="picker-list" role="listbox" aria-label={label} hidden={!isOpen}>
        {choices.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the input's
          <div
            key={item?.id ?? 'none'}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            // Before the input loses the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(item)}
          >
            <span class={item === null ? 'faint' : 'title'}>{item?.name ?? none}</span>
            <span class="mono faint">{item?.external_key}</span>
          </div>
        ))}
        {answer !== undefined && found.length === 0 && (
          <div class="faint" role="option" aria-selected={false} aria-disabled tabIndex={-1}>
            {texts.value.items.nothingFound}
          </div>
        )}
      </div>
      <div id={`${id}-says`}>
        {fault !== null && <p class="fault">{fault}</p>}
        {fault === null && hint !== undefined && <p class="hint">{hint}</p>}
      </div>
    </div>
  );
}

function shownOf({ name, external_key: key }: { name?: string | undefined; external_key: string }): string {
  return name === undefined || name === key ? key : `${name} · ${key}`;
}
