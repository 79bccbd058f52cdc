export type Subject = { assetId: number; readerId: null } | { assetId: null; readerId: number };

export const assetSubject = (assetId: number): Subject => ({ assetId, readerId: null });

export const readerSubject = (readerId: number): Subject => ({ assetId: null, readerId });
