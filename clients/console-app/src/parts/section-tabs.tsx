import { href } from '../router/router.ts';

/** The parts of a screen, each with an address of its own below it. */
export function SectionTabs({
  label,
  screen,
  sections,
  current,
}: {
  label: string;
  screen: string;
  sections: readonly { path: string; word: string }[];
  current: string;
}) {
  return (
    <nav class="sections" aria-label={label}>
      {sections.map(({ path, word }) => (
        <a key={path} href={href(screen, path)} aria-current={path === current ? 'page' : undefined}>
          {word}
        </a>
      ))}
    </nav>
  );
}
