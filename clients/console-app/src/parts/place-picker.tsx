import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Place } from '../api/place.ts';
import { useRead } from '../api/use-read.ts';
import { texts } from '../texts/texts.ts';
import { useEnter } from './use-enter.ts';

export interface PickedPlace {
  id: number;
  external_key: string;
  /** Shown before the key where it is known. */
  name?: string;
}

/** Milliseconds after the last key. */
const PAUSE_MS = 150;

/** One of the places, found by typing; emptied, none. */
export function PlacePicker({
  label,
  hint,
  fault = null,
  picked,
  isReadOnly = false,
  onPick,
}: {
  label: string;
  hint?: string;
  fault?: string | null;
  picked: PickedPlace | null;
  isReadOnly?: boolean;
  onPick: (place: PickedPlace | null) => void;
}) {
  const id = useId();
  const shown = shownOf(picked);
  const [text, setText] = useState(shown);
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => setText(shown), [shown]);
  const { answer, problem, isCurrent } = useRead<{ data: readonly Place[] }>(isOpen ? '/locations' : null, {
    q,
    limit: 8,
    include_not_in_effect: true,
  });
  const found = answer?.data ?? [];
  const isFound = isOpen && isCurrent && typed === q;
  const choose = (place: Place) => {
    onPick({ id: place.id, external_key: place.external_key });
    setText(place.external_key);
    close();
  };
  const close = () => {
    setOpen(false);
    setTyped('');
    setQ('');
    setAt(0);
    clearTimeout(timer.current);
    enter.forget();
  };
  const leave = () => {
    close();
    setText(shown);
  };
  const enter = useEnter(isFound || problem !== null, () => {
    if (isFound && found[at] !== undefined) {
      choose(found[at]);
    } else if (document.activeElement !== input.current) {
      leave();
    }
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      if (isFound) {
        setAt(Math.max(0, Math.min(at + (event.key === 'ArrowDown' ? 1 : -1), found.length - 1)));
      }
    } else if (event.key === 'Enter' && isOpen && (!isFound || found.length > 0)) {
      event.preventDefault();
      enter.press();
    } else if (event.key === 'Escape' && isOpen) {
      // The sheet stays open.
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        class="mono"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isFound && found[at] !== undefined ? `${id}-${at}` : undefined}
        aria-describedby={`${id}-says`}
        aria-invalid={fault !== null}
        autocomplete="off"
        spellcheck={false}
        readOnly={isReadOnly}
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
          setAt(0);
          enter.forget();
          clearTimeout(timer.current);
          timer.current = setTimeout(() => setQ(value.trim()), PAUSE_MS);
          if (value === '') {
            onPick(null);
          }
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} class="picker-list" role="listbox" aria-label={label} hidden={!isOpen}>
        {found.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the input's
          <div
            key={place.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            // Before the input loses the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(place)}
          >
            <span class="title">{place.name}</span>
            <span class="mono faint">{place.external_key}</span>
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

function shownOf(picked: PickedPlace | null): string {
  return picked === null
    ? ''
    : picked.name === undefined
      ? picked.external_key
      : `${picked.name} · ${picked.external_key}`;
}
