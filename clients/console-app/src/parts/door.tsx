import type { ComponentChildren } from 'preact';
import { Icon } from '../../../ui/parts/icon.tsx';
import { Mark } from '../../../ui/parts/mark.tsx';
import { texts } from '../texts/texts.ts';

/** The page for everybody not signed in. */
export function Door({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: string;
  children?: ComponentChildren;
}) {
  return (
    <main class="door">
      <div class="door-card">
        <div class="door-head">
          <Mark />
          <span>tagtrail</span>
        </div>
        <h1>{title}</h1>
        {lead !== undefined && <p class="hint">{lead}</p>}
        <PlainHttpWarning />
        {children}
      </div>
    </main>
  );
}

/** On the machine itself, browsers call plain http secure too. */
function PlainHttpWarning() {
  if (window.isSecureContext) {
    return null;
  }
  return (
    <div class="note note-problem">
      <Icon name="alert" />
      <p>{texts.value.signIn.plainHttp}</p>
    </div>
  );
}
