import type { ComponentChildren } from 'preact';

/** The screen's heading, description and actions. */
export function PageHead({
  title,
  sub,
  children,
}: {
  title: string;
  sub?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {sub !== undefined && <p class="hint">{sub}</p>}
      </div>
      {children !== undefined && <div class="buttons">{children}</div>}
    </header>
  );
}
