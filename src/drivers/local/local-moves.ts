import type { DataFingerprint } from '../../control-plane/plane/data-fingerprint.ts'
import type { Operation } from '../../control-plane/driver/operation.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type {
  LeaveRequest,
  PlaneMoves,
  ReturnRequest,
  TakeBackRequest,
} from '../../control-plane/driver/plane-moves.ts'
import { localEtcd } from './components/local-etcd.ts'
import type { StartContext } from './components/start-context.ts'
import { currentRecord } from './store/current-record.ts'

/** Moves planes of this machine. */
export class LocalMoves implements PlaneMoves {
  readonly #context: StartContext

  constructor(context: StartContext) {
    this.#context = context
  }

  async fingerprint({ name }: Plane, signal: AbortSignal): Promise<DataFingerprint> {
    const { dataFingerprint } = await import('../../etcd/data/data-fingerprint.ts')
    return dataFingerprint(await localEtcd(this.#context, name), signal)
  }

  async leave(plane: Plane, request: LeaveRequest, operation: Operation): Promise<void> {
    await using _lock = await this.#context.store.lock(plane.name, operation)
    const { leavePlane } = await import('./move/leave-plane.ts')
    const record = await currentRecord(this.#context.store, plane)
    await leavePlane(this.#context, record, { ...request, operation })
  }

  async takeBack(plane: Plane, request: TakeBackRequest, operation: Operation): Promise<boolean> {
    await using _lock = await this.#context.store.lock(plane.name, operation)
    const { takeBackPlane } = await import('./move/take-back-plane.ts')
    const record = await currentRecord(this.#context.store, plane)
    return await takeBackPlane(this.#context, record, { ...request, operation })
  }

  async return(plane: Plane, request: ReturnRequest, operation: Operation): Promise<void> {
    await using _lock = await this.#context.store.lock(plane.name, operation)
    const { returnPlane } = await import('./move/return-plane.ts')
    const record = await currentRecord(this.#context.store, plane)
    await returnPlane(this.#context, record, { ...request, operation })
  }
}
