/** What an alert is about. */
export type Subject = { assetId: number; readerId: null } | { assetId: null; readerId: number };

export const assetSubject = (assetId: number): Subject => ({ assetId, readerId: null });

export const readerSubject = (readerId: number): Subject => ({ assetId: null, readerId });

/** A key in which ids of assets and of readers differ. */
export function subjectKey({ assetId, readerId }: Subject): string {
  return assetId === null ? `reader ${readerId}` : `asset ${assetId}`;
}
