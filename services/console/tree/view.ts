import type { LiveTree } from '../../../domain/moves/live-tree.ts';
import { JsonBytes } from '../../../platform/http/json-bytes.ts';

/** Shared by all who ask within a second, so it is made once. */
export function treeView({ position, locations }: LiveTree): JsonBytes {
  return new JsonBytes(Buffer.from(`{"data":{"position":${position},"locations":${locations}}}`));
}
