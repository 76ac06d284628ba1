import type { ServingName } from '../../../control-plane/plane/plane.ts'
import type { Environment } from '../../../shared/environment.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { KeptOpen } from './kept-open.ts'
import type { PlaneStore } from '../store/plane-store.ts'

export interface PlaneContext {
  store: PlaneStore
  /** Other planes of this user, which keep their ports, too. @default there are none */
  others?: PlaneStore
  table: ProcessTable
  /** For a process that asks planes again and again. @default it keeps nothing */
  kept?: KeptOpen
}

interface WantedBinaries extends Pick<PlaneRecord, 'spec' | 'binDir'> {
  /** The plane is being created: its user can still choose another folder of binaries. @default false */
  isNew?: boolean
  /** The plane may be restored one day: get what only that needs too, if possible. @default false */
  isLasting?: boolean
}

export interface StartContext extends PlaneContext {
  environment: Environment
  now: () => Date
  findBinaries: (
    wanted: WantedBinaries,
    operation: HeldOperation,
  ) => Promise<Partial<Record<ServingName, string>>>
  /** Also for a plane with another store, to read a snapshot of etcd. */
  findEtcd: (
    wanted: Pick<PlaneRecord, 'spec' | 'binDir'>,
    operation: HeldOperation,
  ) => Promise<string>
  findEtcdutl: (
    wanted: Pick<PlaneRecord, 'spec' | 'binDir'>,
    operation: HeldOperation,
  ) => Promise<string>
  /** Whether the keeper and an API server can listen on the same port. @default what this system can */
  sharesPorts?: boolean
  /** Starts the keeper of this machine's planes unless it runs. @default none is started */
  ensureKeeper?: () => Promise<void>
}

export interface StartOptions {
  operation: HeldOperation
  /** Start kube-controller-manager after the API answers: it exits after 10 s without the API. */
  wait: boolean
  /** Start only the store, so that its data can be read but not written by users. @default all components */
  only?: 'store'
}
