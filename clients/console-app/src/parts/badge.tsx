import type { ComponentChildren } from 'preact';

export type Tone = 'moved' | 'seen' | 'place' | 'queued' | 'problem' | 'refused';

export function Badge({ tone = 'queued', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
