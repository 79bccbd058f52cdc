import type { ComponentChildren } from 'preact';
import { Icon } from '../../../ui/parts/icon.tsx';
import { type Texts, texts } from '../texts/texts.ts';
import { Popover } from './popover.tsx';

type Topic = keyof Texts['help']['about'];

/** The screen's heading, description and actions. */
export function PageHead({
  title,
  sub,
  about,
  children,
}: {
  title: string;
  sub?: ComponentChildren;
  /** Explains words of the screen. */
  about?: Topic | undefined;
  children?: ComponentChildren;
}) {
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {about !== undefined && <Explained about={about} />}
        {sub !== undefined && <p class="hint">{sub}</p>}
      </div>
      {children !== undefined && <div class="buttons">{children}</div>}
    </header>
  );
}

function Explained({ about }: { about: Topic }) {
  const t = texts.value.help;
  const { title, says } = t.about[about];
  return (
    <Popover class="explained" label={t.explain(title)} face={<Icon name="help" />}>
      <Words of={says} />
    </Popover>
  );
}

export function Words({ of }: { of: readonly (readonly [string, string])[] }) {
  return (
    <dl class="words">
      {of.map(([word, meaning]) => (
        <div key={word}>
          <dt>{word}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
