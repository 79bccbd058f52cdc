import { useRead } from '../../api/use-read.ts';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

interface AntennaHere {
  port: number;
  enabled: boolean;
  min_rssi: number | null;
  reader: { id: number; name: string };
  last_message_at: string | null;
}

/** What sees this place, and when it was last heard of. */
export function AntennaList({ id }: { id: number }) {
  const t = texts.value.place;
  const { answer } = useRead<{ data: readonly AntennaHere[] }>(`/locations/${id}/antennas`);
  if (answer === undefined) {
    return null;
  }
  return (
    <section class="card" aria-labelledby="antennas">
      <h2 id="antennas">{t.antennas}</h2>
      {answer.data.length === 0 && <p class="hint">{t.noAntennas}</p>}
      <ul class="facts">
        {answer.data.map(({ reader, port, enabled, last_message_at: heard }) => (
          <li key={`${reader.id}/${port}`}>
            <a class="title" href={href('readers', reader.id)}>
              {t.antenna(reader.name, port)}
            </a>
            <span class="hint">
              {!enabled && `${t.off} · `}
              {heard === null ? (
                t.neverHeard
              ) : (
                <>
                  {t.heard} <Instant at={heard} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
