import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { address, hrefWith, replaceAddress } from '../router/router.ts';

/** Milliseconds after the last key: one request for a word, not one for each letter. */
const PAUSE_MS = 200;

/** Writes the text into the address, from where the list reads it. */
export function SearchField({ label, name = 'q' }: { label: string; name?: string }) {
  const asked = address.value.query.get(name) ?? '';
  const [text, setText] = useState(asked);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const written = useRef(asked);
  useLayoutEffect(() => {
    if (asked !== written.current) {
      written.current = asked;
      setText(asked);
    }
  }, [asked]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const write = (value: string) => {
    written.current = value.trim();
    replaceAddress(hrefWith({ [name]: value.trim(), page: null }));
  };
  return (
    <search class="field-search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => write(value), PAUSE_MS);
        }}
      />
    </search>
  );
}
