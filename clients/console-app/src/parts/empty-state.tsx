import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../../../ui/parts/icon.tsx';
import { texts } from '../texts/texts.ts';

/** A link is wrong, or to a screen that the role does not have. */
export function NoScreen() {
  const t = texts.value.shell;
  return <EmptyState isPage icon="search" title={t.noScreen} hint={t.noScreenHint} />;
}

/** An empty list: why, and what to do next. */
export function EmptyState({
  icon,
  title,
  hint,
  isPage = false,
  children,
}: {
  icon: IconName;
  title: string;
  hint?: string;
  /** There is no other heading. */
  isPage?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <span class="dot dot-plain">
        <Icon name={icon} />
      </span>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children !== undefined && <div class="empty-next">{children}</div>}
    </div>
  );
}

/** No row is as the filters ask, with the way back to all of them. */
export function NothingFound({
  title = texts.value.items.nothingFound,
  hint,
  allHref,
}: {
  title?: string;
  hint: string;
  allHref: string;
}) {
  return (
    <EmptyState icon="search" title={title} hint={hint}>
      <a class="secondary" href={allHref}>
        {texts.value.common.showAll}
      </a>
    </EmptyState>
  );
}
