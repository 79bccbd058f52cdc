import { organizationId } from '../../api/organization.ts';
import { addressOf } from '../../api/send.ts';
import type { Asset, Plan } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import { Instant } from '../../parts/instant.tsx';
import { PlanDots } from '../../parts/plan-dots.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Milliseconds between two looks where it is now. */
const LOOK_MS = 3_000;

/** Where on a plan an asset is, as long as that is known. */
export function OnPlan({
  asset: { external_key: key, name },
  position,
  onLook,
}: {
  asset: Asset;
  position: NonNullable<Asset['position']>;
  onLook: () => void;
}) {
  const t = texts.value.plan;
  useRepeat(onLook, LOOK_MS);
  const { answer } = useRead<{ data: readonly Plan[] }>('/plans');
  const plan = answer?.data.find(
    ({ location, scale }) => scale !== null && location?.id === position.plan_location_id,
  );
  if (plan === undefined || plan.scale === null) {
    return null;
  }
  return (
    <section class="card on-plan" aria-label={t.onPlan(plan.name)}>
      <div class="on-plan-image" style={{ aspectRatio: `${plan.width} / ${plan.height}` }}>
        <img
          src={addressOf(`/plans/${plan.id}/image`, { organization: organizationId.value })}
          alt=""
          draggable={false}
        />
        <PlanDots size={plan.scale} dots={[position]} />
      </div>
      <p>
        <span class="title">{t.onPlan(plan.name)}</span>: {t.within(position.radius_m)} ·{' '}
        <Instant at={position.observed_at} />
      </p>
      <a
        class="secondary small"
        href={href('plan', plan.id, { find: key })}
        aria-label={`${t.showOnPlan}: ${name}`}
      >
        {t.showOnPlan}
      </a>
    </section>
  );
}
