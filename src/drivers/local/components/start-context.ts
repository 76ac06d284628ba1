import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { ComponentName } from '../../../control-plane/plane/plane.ts'
import type { Environment } from '../../../shared/environment.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { PlaneStore } from '../store/plane-store.ts'

/** What starting a plane needs of the world. */
export interface StartContext {
  store: PlaneStore
  table: ProcessTable
  environment: Environment
  now: () => Date
  findBinaries: (
    wanted: Pick<PlaneRecord, 'spec' | 'binDir'>,
    operation: Operation,
  ) => Promise<Record<ComponentName, string>>
  findEtcdutl: (
    wanted: Pick<PlaneRecord, 'spec' | 'binDir'>,
    operation: Operation,
  ) => Promise<string>
  /** Starts what looks after planes while no command runs, unless it runs. @default nothing does */
  ensureKeeper?: () => Promise<void>
}

export interface StartOptions {
  operation: Operation
  /** Wait with kube-controller-manager until the API answers: it gives up after 10 s without. */
  wait: boolean
  /** Start etcd alone, so that its data can be read and nobody can write. @default all */
  only?: 'etcd'
}
