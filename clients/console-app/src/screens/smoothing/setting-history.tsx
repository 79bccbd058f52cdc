import type { MadeSetting } from '../../api/smoothing.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';
import { settingWords } from './setting-words.ts';

/** Every setting there was, newest first. */
export function SettingHistory({ settings }: { settings: readonly MadeSetting[] }) {
  const t = texts.value.smoothing;
  return (
    <section class="stack" aria-labelledby="smoothing-history">
      <h2 id="smoothing-history">{t.history}</h2>
      <div class="table-box">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t.from}</th>
              <th scope="col">{t.place}</th>
              <th scope="col">{t.setting}</th>
              <th scope="col" class="weight-2">
                {t.by}
              </th>
            </tr>
          </thead>
          <tbody>
            {settings.map((made) => (
              <tr key={made.id}>
                <td>
                  <Instant at={made.valid_from} />
                </td>
                <td>{made.location?.name ?? t.everywhere}</td>
                <td class="smoothing-setting">
                  {settingWords(made, made.location?.name ?? null)}{' '}
                  {made.is_in_force && <Badge tone="seen">{t.holds}</Badge>}
                </td>
                <td class="weight-2">{whoIs(made.actor)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function whoIs(actor: MadeSetting['actor']): string {
  const t = texts.value.smoothing;
  if (actor === null) {
    return '–';
  }
  return actor.name ?? (actor.type === 'command_line' ? t.commandLine(actor.id) : actor.id);
}
