import type { DataFingerprint } from '../../control-plane/plane/data-fingerprint.ts'
import type { Operation } from '../../control-plane/driver/operation.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type {
  LeaveRequest,
  PlaneMoves,
  ReturnRequest,
  TakeBackRequest,
} from '../../control-plane/driver/plane-moves.ts'
import type { KubernetesContext } from './context/context.ts'
import { toPlace } from './context/to-place.ts'

/** How planes of a host cluster leave their namespace. */
export class HostMoves implements PlaneMoves {
  readonly #context: KubernetesContext

  constructor(context: KubernetesContext) {
    this.#context = context
  }

  async fingerprint(plane: Plane, signal: AbortSignal): Promise<DataFingerprint> {
    const { fingerprintPlane } = await import('./move/fingerprint-plane.ts')
    return fingerprintPlane(await this.#context.host(), toPlace(plane).place, signal)
  }

  async leave(plane: Plane, request: LeaveRequest, operation: Operation): Promise<void> {
    const { leavePlane } = await import('./move/leave-plane.ts')
    await leavePlane(this.#context, { ...toPlace(plane), ...request, operation })
  }

  async takeBack(plane: Plane, request: TakeBackRequest, operation: Operation): Promise<boolean> {
    const { takeBackPlane } = await import('./move/take-back-plane.ts')
    return takeBackPlane(this.#context, { ...toPlace(plane), ...request, operation })
  }

  async return(plane: Plane, request: ReturnRequest, operation: Operation): Promise<void> {
    const { returnPlane } = await import('./move/return-plane.ts')
    await returnPlane(this.#context, { ...toPlace(plane), ...request, operation })
  }
}
