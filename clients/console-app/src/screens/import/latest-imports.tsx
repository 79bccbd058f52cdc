import type { Import } from '../../api/import.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

const TONES: Record<Import['state'], Tone> = {
  uploaded: 'queued',
  checking: 'place',
  checked: 'moved',
  applying: 'place',
  applied: 'seen',
};

/** To come back to one that was left. */
export function LatestImports() {
  const t = texts.value.imports;
  const { answer } = useRead<{ data: readonly Import[] }>('/imports');
  const imports = answer?.data ?? [];
  if (imports.length === 0) {
    return null;
  }
  return (
    <section class="stack">
      <h2>{t.latest}</h2>
      <ul class="latest-imports">
        {imports.map(({ id, file_name, state, resource, created_at }) => (
          <li key={id}>
            <a href={href('import', id)}>{file_name}</a>
            <span class="hint">{texts.value.screens[resource === 'asset' ? 'assets' : 'places']}</span>
            <Badge tone={TONES[state]}>{t.states[state]}</Badge>
            <Instant at={created_at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
