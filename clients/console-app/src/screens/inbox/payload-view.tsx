import { useState } from 'preact/hooks';
import { Choice } from '../../../../ui/parts/choice.tsx';
import { texts } from '../../texts/texts.ts';
import { bytesOf, hexLines } from './hex.ts';

/** The bytes of a message, as text where they are one. What they hold is never markup. */
export function PayloadView({ payload, isText }: { payload: string; isText: boolean }) {
  const t = texts.value.inbox;
  const [as, setAs] = useState<'text' | 'hex'>(isText ? 'text' : 'hex');
  return (
    <section class="stack" aria-label={t.payload}>
      <div class="payload-head">
        <h3>{t.payload}</h3>
        {isText && (
          <Choice
            label={t.showAs}
            options={[
              { value: 'text', word: t.asText },
              { value: 'hex', word: t.asHex },
            ]}
            value={as}
            onChoose={setAs}
          />
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can have the focus */}
      <pre class="payload mono" tabIndex={0}>
        {as === 'text' ? payload : hexLines(bytesOf(payload, isText))}
      </pre>
    </section>
  );
}
