import { post } from '../../api/send.ts';
import type { UnknownTag } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { address } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';

export function tagColumns({ inbox: t, tags }: Texts): readonly Column<UnknownTag>[] {
  return [
    {
      title: t.tag,
      cell: ({ tag_type, value, is_ambiguous }) => (
        <>
          <span class="tag-type">{tags.types[tag_type]}</span>
          <span class="mono">{value}</span>
          {is_ambiguous && <Badge tone="problem">{t.ambiguous}</Badge>}
        </>
      ),
      saved: ({ tag_type, value }) => ({ [t.type]: tags.types[tag_type], [t.tag]: value }),
    },
    {
      title: t.strength,
      sortBy: 'rssi',
      cell: ({ last_read: { rssi } }) => <Strength rssi={rssi} />,
      saved: ({ last_read: { rssi } }) => rssi,
    },
    {
      ...{ title: t.count, sortBy: 'count', weight: 2, isNumber: true },
      cell: ({ count }) => t.number(count),
      saved: ({ count }) => count,
    },
    {
      title: t.lastSeen,
      sortBy: 'last_seen_at',
      cell: ({ last_seen_at: at }) => <Instant at={at} />,
      saved: ({ last_seen_at: at }) => at,
    },
    {
      title: t.readBy,
      weight: 2,
      cell: ({ last_read }) => <LastRead read={last_read} t={t} />,
      saved: ({ last_read }) => ({
        [t.readBy]: readBy(last_read, t),
        [texts.value.alerts.place]: last_read.location_name,
      }),
    },
    {
      title: t.firstSeen,
      sortBy: 'first_seen_at',
      weight: 3,
      cell: ({ first_seen_at: at }) => <Instant at={at} />,
      saved: ({ first_seen_at: at }) => at,
    },
    ...(may('operator')
      ? [
          {
            title: t.ignore,
            isTitleUnseen: true,
            weight: 2 as const,
            cell: (tag: UnknownTag) => <IgnoreButton tag={tag} />,
          },
        ]
      : []),
  ];
}

export function LastRead({ read, t }: { read: UnknownTag['last_read']; t: Texts['inbox'] }) {
  const { location_name: place } = read;
  return (
    <>
      <span class="title">{readBy(read, t)}</span>
      {place !== null && <span class="faint">{t.at(place)}</span>}
    </>
  );
}

function readBy(
  { reader, antenna_port: port, antenna_name: named }: UnknownTag['last_read'],
  t: Texts['inbox'],
): string {
  return reader === null ? t.byHandheld : t.antenna(reader.name, named ?? port);
}

/** dBm of a tag that is nearly out of reach, and of one that lies on the antenna. */
const WEAK = -85;
const STRONG = -30;

export function Strength({ rssi }: { rssi: number | null }) {
  if (rssi === null) {
    return <span class="none">–</span>;
  }
  const share = Math.min(1, Math.max(0.04, (rssi - WEAK) / (STRONG - WEAK)));
  return (
    <span class="strength">
      <span class="strength-bar" aria-hidden="true">
        <span style={{ inlineSize: `${Math.round(share * 100)}%` }} />
      </span>
      {texts.value.inbox.dbm(rssi)}
    </span>
  );
}

/** Ignores a tag, or lists it again. */
export function IgnoreButton({
  tag,
  class: name = 'secondary small',
  onDone = () => {},
}: {
  tag: UnknownTag;
  class?: string;
  onDone?: () => void;
}) {
  const t = texts.value.inbox;
  const { run, isBusy } = useAction();
  const isIgnored = address.value.query.get('ignored') === 'true';
  const path = `/unknown-tags/${encodeURIComponent(tag.id)}/ignore`;
  const set = async (undo: boolean) => {
    await post(path, undo ? { undo } : {});
    toast(undo ? t.listedAgain(tag.value) : t.ignored(tag.value), () => set(!undo));
    onDone();
  };
  return (
    <button type="button" class={name} disabled={isBusy} onClick={() => void run(() => set(isIgnored))}>
      {isIgnored ? t.listAgain : t.ignore}
      <span class="unseen"> {tag.value}</span>
    </button>
  );
}
