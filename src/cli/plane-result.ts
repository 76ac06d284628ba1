import { isReadable, type UnreadablePlane } from '../control-plane/driver.ts'
import type { ComponentStatus, Plane, PlanePhase, PlaneStatus } from '../control-plane/plane.ts'
import type { PlaneSpec, UserSpec } from '../control-plane/spec.ts'

/** A plane in `--json` results: part of the contract in schemas/. */
export interface PlaneResult {
  name: string
  driver: string
  namespace: string | null
  status: PlanePhase
  reason: string | null
  version: string | null
  connected: boolean
  server: string | null
  /** ISO 8601. */
  certificatesExpireAt: string | null
  createdAt: string | null
}

/** A plane in the result of `describe`. */
export interface PlaneDetails extends PlaneResult {
  id: string | null
  writtenBy: string | null
  components: Array<{
    name: string
    state: ComponentStatus['state']
    reason: string | null
    instance: string | null
    address: string | null
    startedAt: string | null
  }>
  userSpec: UserSpec | null
  spec: PlaneSpec | null
}

export interface Listed {
  plane: Plane | UnreadablePlane
  status: PlaneStatus
  isConnected: boolean
}

/** A plane as `--json` shows it. */
export function toPlaneResult({ isConnected, plane, status }: Listed): PlaneResult {
  const stored = isReadable(plane) ? plane : undefined
  return {
    name: plane.name,
    driver: plane.driver,
    namespace: plane.namespace ?? null,
    status: status.phase,
    reason: status.reason ?? null,
    version: stored?.spec.version ?? null,
    connected: isConnected,
    server: status.server ?? null,
    certificatesExpireAt: status.certificatesExpireAt?.toISOString() ?? null,
    createdAt: stored?.createdAt.toISOString() ?? null,
  }
}

/** A plane with everything that is known of it. */
export function toPlaneDetails(listed: Listed): PlaneDetails {
  const stored = isReadable(listed.plane) ? listed.plane : undefined
  return {
    ...toPlaneResult(listed),
    id: stored?.id ?? null,
    writtenBy: stored?.writtenBy ?? null,
    components: listed.status.components.map((component) => ({
      name: component.name,
      state: component.state,
      reason: component.reason ?? null,
      instance: component.instance ?? null,
      address: component.address ?? null,
      startedAt: component.startedAt?.toISOString() ?? null,
    })),
    userSpec: stored?.userSpec ?? null,
    spec: stored?.spec ?? null,
  }
}
