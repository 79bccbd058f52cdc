import type { ComponentChildren } from 'preact';
import { Mark } from '../../../ui/parts/mark.tsx';
import { PlainHttpWarning } from './plain-http-warning.tsx';

/** The page of who is not in yet. */
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
