import type { QueryValues } from '../router/address.ts';
import { href } from '../router/router.ts';

/** The parts of a screen, each with its own address below it. */
export function SectionTabs({
  label,
  screen,
  sections,
  current,
  query = {},
}: {
  label: string;
  screen: string;
  sections: readonly { path: string; word: string }[];
  current: string;
  /** The query parameters that are kept from one to another. */
  query?: QueryValues;
}) {
  return (
    <nav class="sections" aria-label={label}>
      {sections.map(({ path, word }) => (
        <a key={path} href={href(screen, path, query)} aria-current={path === current ? 'page' : undefined}>
          {word}
        </a>
      ))}
    </nav>
  );
}
