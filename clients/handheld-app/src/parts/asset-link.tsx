import type { ComponentChildren } from 'preact';
import { pathOfAsset } from '../app/router.ts';

/** The part of a row that opens its asset's page, if it is known which. */
export function AssetLink({
  asset,
  children,
}: {
  asset: { id: number } | null;
  children: ComponentChildren;
}) {
  return asset === null ? (
    <span class="row-main">{children}</span>
  ) : (
    <a class="row-main" href={pathOfAsset(asset)}>
      {children}
    </a>
  );
}
