import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { texts } from '../texts/texts.ts';

/** A secret that is shown this once: a key, a link. */
export function SecretNote({ title, hint, secret }: { title: string; hint: string; secret: string }) {
  const [isCopied, setCopied] = useState(false);
  const t = texts.value.common;
  const copy = async () => {
    // Browsers have a clipboard for pages from https and this machine only.
    await navigator.clipboard?.writeText(secret);
    setCopied(navigator.clipboard !== undefined);
  };
  return (
    <div class="note note-seen secret" role="status">
      <Icon name="key" />
      <div>
        <strong>{title}</strong>
        <p class="hint">{hint}</p>
        <input
          class="mono"
          readOnly
          aria-label={title}
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <button type="button" class="small secondary" onClick={() => void copy()}>
        {isCopied ? t.copied : t.copy}
      </button>
    </div>
  );
}

/** Browsers' names for the machine they run on; addresses of brokers too, which not every browser takes apart. */
const HERE = /^\w+:\/\/(localhost|127\.[\d.]+|\[::1\])([:/]|$)/;

/** Whether no other machine can reach the address. */
export function isOnlyHere(url: string): boolean {
  return HERE.test(url);
}
