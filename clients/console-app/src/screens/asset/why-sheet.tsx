import type { Asset } from '../../api/asset.ts';
import { useRead } from '../../api/use-read.ts';
import type { Why } from '../../api/whereabouts.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { texts } from '../../texts/texts.ts';
import { DecidingScan } from './deciding-scan.tsx';
import { Rivals } from './rivals.tsx';
import { corrected, SaidBefore } from './said-before.tsx';
import { SignalPicture } from './signal-picture.tsx';

/** Why the asset is said to be, or to have been, where it was at an instant; null for now. */
export function WhySheet({
  asset,
  at,
  order,
  onClose,
}: {
  asset: Asset;
  at: string | null;
  /** Places beside it, in the order of their colours. */
  order: readonly number[];
  onClose: () => void;
}) {
  const t = texts.value.why;
  const { answer, problem, reload } = useRead<{ data: Why }>(
    `/assets/${asset.id}/why`,
    at === null ? {} : { at },
  );
  const why = answer?.data;
  const place = why?.stay?.location?.name ?? t.unknownPlace;
  return (
    <SideSheet
      title={why?.stay ? t.title(asset.name, place, why.stay.to === null) : t.plainTitle(asset.name)}
      onClose={onClose}
      {...(why?.stay
        ? {
            sub: (
              <>
                <Instant at={why.stay.from} /> – {why.stay.to === null ? t.now : <Instant at={why.stay.to} />}
              </>
            ),
          }
        : {})}
    >
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {why === undefined && problem === null && <p class="loading">{texts.value.shell.loading}</p>}
      {why !== undefined && why.stay === null && <p>{t.notSeen}</p>}
      {why !== undefined && why.stay !== null && (
        <div class="why">
          <p class="why-rule">{why.rule === null ? t.ruleUnknown : t.rules[why.rule](place)}</p>
          <DecidingScan why={why} />
          <section>
            <h3>{t.signal}</h3>
            <p class="hint">{t.signalHint}</p>
            {why.reads === null ? (
              <p>{t.readsGone}</p>
            ) : (
              <SignalPicture why={why} reads={why.reads} order={order} />
            )}
          </section>
          <Rivals rivals={why.rivals} />
          <SaidBefore said={corrected(why)} />
        </div>
      )}
    </SideSheet>
  );
}
