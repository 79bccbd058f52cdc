import type { Rival } from '../../api/whereabouts.ts';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';
import { scannerText } from './deciding-scan.tsx';

/** What else was read just before, and by how much it lost. */
export function Rivals({ rivals }: { rivals: readonly Rival[] | null }) {
  const t = texts.value.why;
  if (rivals === null) {
    return null;
  }
  return (
    <section>
      <h3>{t.rivals}</h3>
      {rivals.length === 0 ? (
        <p class="hint">{t.noRivals}</p>
      ) : (
        <ul class="rivals">
          {rivals.map((rival, index) => (
            <li key={index}>
              <p>
                <span class="title">{rival.location?.name ?? t.unknownPlace}</span>
                <span class="rival-lost">{lostText(rival)}</span>
              </p>
              <p class="hint">
                <Instant at={rival.at} />
                {rival.scan !== null && ` · ${scannerText(rival.scan)}`}
                {rival.tie_broken_by !== null && ` · ${t.ties[rival.tie_broken_by]}`}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function lostText({ lost_by_db: lost }: Rival): string {
  const t = texts.value.why;
  return lost === null ? '' : lost < 0 ? t.stronger(-lost) : t.weaker(lost);
}
