import {
  type LogicalHeader,
  type LogicalKey,
  logicalSnapshot,
} from '../../../src/backup/logical/logical-format.ts'

export const LOGICAL_HEADER: LogicalHeader = {
  revision: 42,
  kubernetesVersion: '1.36.3',
  store: 'sqlite',
}

/** Keys and values as a logical snapshot has them. */
export function logicalKeysOf(
  pairs: ReadonlyArray<readonly [key: string, value: string, ttlSeconds?: number]>,
): LogicalKey[] {
  return pairs.map(([key, value, ttlSeconds]) => ({
    key: Buffer.from(key),
    value: Buffer.from(value),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
  }))
}

/** The bytes of a logical snapshot. */
export async function logicalBytes(
  keys: readonly LogicalKey[],
  header: LogicalHeader = LOGICAL_HEADER,
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(logicalSnapshot(header, inOrder(keys))))
}

export async function* inOrder<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, void> {
  yield* items
}
