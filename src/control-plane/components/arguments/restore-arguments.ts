import { randomUUID } from 'node:crypto'
import type { Layout } from './layout.ts'

/** More than any plane writes between a snapshot and the loss of what came after it. */
const BUMP = 1_000_000_000

/**
 * By how much revisions are raised on a restore, so that they go on above all that are known.
 *
 * @param known the latest revisions that clients of the plane may have seen; 0 when nobody knows.
 */
export function bumpAbove(...known: number[]): number {
  return BUMP + Math.max(0, ...known)
}

export interface RestoreArgumentsOptions {
  etcd: Pick<Layout['etcd'], 'name' | 'advertisePeer' | 'members'>
  /** The snapshot. */
  file: string
  /** Where the data of the member is made: there must be nothing. */
  dataFolder: string
  /** By how much its revisions are raised, of `bumpAbove`. */
  bump: number
  /** One for all members of a restore. @default a new one */
  token?: string
}

/**
 * The words after `etcdutl` that make the data of one member of a snapshot. Revisions go on above all that clients have
 * seen, and those before count as compacted: so whoever watches begins anew instead of waiting for ever
 * (etcd.io/docs/v3.6/op-guide/recovery, "Restoring with revision bump").
 */
export function restoreArguments({
  bump,
  dataFolder,
  etcd,
  file,
  token = randomUUID(),
}: RestoreArgumentsOptions): string[] {
  const members = etcd.members ?? [etcd]
  const cluster = members.map(({ advertisePeer, name }) => `${name}=https://${advertisePeer}`)
  return [
    'snapshot',
    'restore',
    file,
    `--data-dir=${dataFolder}`,
    `--name=${etcd.name}`,
    `--initial-cluster=${cluster.join(',')}`,
    `--initial-cluster-token=${token}`,
    `--initial-advertise-peer-urls=https://${etcd.advertisePeer}`,
    `--bump-revision=${bump}`,
    '--mark-compacted',
  ]
}
