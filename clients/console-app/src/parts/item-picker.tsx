import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ItemResource, useNames } from '../api/use-names.ts';
import { useRead } from '../api/use-read.ts';
import { texts } from '../texts/texts.ts';
import { useEnter } from './use-keys.ts';

export interface PickedItem {
  id: number;
  external_key: string;
  /** Looked up if absent. */
  name?: string;
}

type FoundItem = Required<PickedItem>;

/** Milliseconds after the last key. */
const PAUSE_MS = 150;

/** No entry is chosen until an arrow key or text chooses one. */
const UNCHOSEN = -1;

interface ItemPickerProps {
  resource: ItemResource;
  label: string;
  hint?: string;
  fault?: string | null;
  /** The meaning of choosing none. */
  none: string;
  picked: PickedItem | null;
  isReadOnly?: boolean;
  onPick: (item: PickedItem | null) => void;
}

/**
 * One asset or location, found by typing. "None" is one of the choices, so a picker that is emptied and left keeps its item.
 * Enter takes an item listed before anything was typed only after an arrow key has reached it.
 */
export function ItemPicker(props: ItemPickerProps) {
  const { label, hint, fault = null, none, isReadOnly = false } = props;
  const id = useId();
  const picking = usePicking(props);
  const { input, text, isOpen, choices, at } = picking;
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
        aria-activedescendant={picking.isFound && choices[at] !== undefined ? `${id}-${at}` : undefined}
        aria-describedby={`${id}-says`}
        aria-invalid={fault !== null}
        autocomplete="off"
        spellcheck={false}
        readOnly={isReadOnly}
        placeholder={none}
        value={text}
        onFocus={(event) => {
          if (!isReadOnly) {
            // Typing replaces the text.
            event.currentTarget.select();
            picking.open();
          }
        }}
        onBlur={picking.onBlur}
        onInput={(event) => picking.type(event.currentTarget.value)}
        onKeyDown={picking.onKeyDown}
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
            onClick={() => picking.choose(item)}
          >
            <span class={item === null ? 'faint' : 'title'}>{item?.name ?? none}</span>
            <span class="mono faint">{item?.external_key}</span>
          </div>
        ))}
        {picking.isNothingFound && (
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

/** The typed text, the found items and the chosen one. */
function usePicking({ resource, picked, onPick }: ItemPickerProps) {
  const names = useNames(resource, picked === null || picked.name !== undefined ? [] : [picked.external_key]);
  const shown = picked === null ? '' : shownOf({ name: names.get(picked.external_key), ...picked });
  const [text, setText] = useState(shown);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(UNCHOSEN);
  const input = useRef<HTMLInputElement>(null);
  const search = useSearch(resource, isOpen);
  useLayoutEffect(() => {
    if (!isOpen) {
      setText(shown);
    }
  }, [shown]);
  const choices = picked !== null && search.typed === '' ? [null, ...search.found] : search.found;
  const isFound = isOpen && search.isCurrent;
  const choose = (item: FoundItem | null) => {
    onPick(item === null ? null : { id: item.id, external_key: item.external_key, name: item.name });
    setText(item === null ? '' : shownOf(item));
    close();
  };
  const close = () => {
    setOpen(false);
    search.clear();
    setAt(UNCHOSEN);
    enter.forget();
  };
  const leave = () => {
    close();
    setText(shown);
  };
  const enter = useEnter(isFound || search.hasFailed, () => {
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
      // Typed text is no choice yet: the form is not sent with the earlier one.
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
  return {
    ...{ input, text, isOpen, choices, at, isFound, isNothingFound: search.isEmpty, choose, onKeyDown },
    open: () => setOpen(true),
    type: (value: string) => {
      setText(value);
      setOpen(true);
      search.type(value.trim());
      setAt(value.trim() === '' ? UNCHOSEN : 0);
      enter.forget();
    },
    // After Enter the item is chosen once it is found, also if the input was left.
    onBlur: () => enter.isWaiting() || leave(),
  };
}

/** Searches for the text, a moment after the last key. */
function useSearch(resource: ItemResource, isOpen: boolean) {
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const { answer, problem, isCurrent } = useRead<{ data: readonly FoundItem[] }>(
    isOpen ? `/${resource}` : null,
    { q, limit: 8, include_not_in_effect: true },
  );
  const found = answer?.data ?? [];
  return {
    ...{ typed, found, isCurrent: isCurrent && typed === q },
    hasFailed: problem !== null,
    isEmpty: answer !== undefined && found.length === 0,
    type: (value: string) => {
      setTyped(value);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setQ(value), PAUSE_MS);
    },
    clear: () => {
      setTyped('');
      setQ('');
      clearTimeout(timer.current);
    },
  };
}

function shownOf({ name, external_key: key }: { name?: string | undefined; external_key: string }): string {
  return name === undefined || name === key ? key : `${name} · ${key}`;
}
