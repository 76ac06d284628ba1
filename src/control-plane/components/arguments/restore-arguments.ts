import { randomUUID } from 'node:crypto'
import { startSettings } from './etcd-start-settings.ts'
import type { Layout } from './layout.ts'

/** More than the number of writes of any plane between a snapshot and a loss of data. */
const BUMP = 1_000_000_000

/**
 * The latest revision in a snapshot that can be restored. Up to twice this, numbers are exact, so that millions of restores
 * remain; no plane has as many writes.
 */
export const LAST_REVISION = 2 ** 52

/** Returns the revision from which a restored plane continues, above all `known` to clients; 0 if unknown. */
export function revisionAbove(...known: number[]): number {
  return BUMP + Math.max(0, ...known)
}

export interface RestoreArgumentsOptions {
  etcd: Pick<Layout['etcd'], 'name' | 'advertisePeer' | 'members'>
  file: string
  /** Must not exist. */
  dataFolder: string
  /** What is added to the revisions in the snapshot. */
  bump: number
  /** The same for all members of a restore. @default a new one */
  token?: string
}

/**
 * The arguments of `etcdutl` that create the data of one member from a snapshot. New revisions are higher than all that
 * clients know, and earlier ones count as compacted, so that watches restart instead of waiting forever
 * (etcd.io/docs/v3.6/op-guide/recovery, "Restoring with revision bump").
 */
export function restoreArguments({
  bump,
  dataFolder,
  etcd,
  file,
  token = randomUUID(),
}: RestoreArgumentsOptions): string[] {
  const { 'initial-cluster': cluster } = startSettings('new', etcd.members ?? [etcd])
  return [
    'snapshot',
    'restore',
    file,
    `--data-dir=${dataFolder}`,
    `--name=${etcd.name}`,
    `--initial-cluster=${cluster}`,
    `--initial-cluster-token=${token}`,
    `--initial-advertise-peer-urls=https://${etcd.advertisePeer}`,
    `--bump-revision=${bump}`,
    '--mark-compacted',
  ]
}
