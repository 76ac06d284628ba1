import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import type { HostPlacement } from '../../../src/control-plane/driver/requests.ts'
import type {
  ClientCredential,
  ComponentName,
  Endpoint,
  Plane,
} from '../../../src/control-plane/plane/plane.ts'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'

/** One implementation of `Driver` with the means to break what it runs. */
export interface DriverHarness extends AsyncDisposable {
  driver: Driver
  openApi(access: Endpoint & ClientCredential): PlaneApi
  /** Ends one component of a plane, as a crash does. */
  kill(plane: Plane, component: ComponentName): Promise<void>
  /** Makes the stored state of a plane unreadable. */
  damage(plane: Plane): Promise<void>
  /** Where planes are made, and what is removed in the end. @default all of the driver's */
  host?: HostPlacement
  /** The spec of planes, whose data outlives a pause. @default an ephemeral one */
  userSpec?: UserSpec
  /** How long starting and stopping may take, in milliseconds. @default 60_000 */
  timeoutMs?: number
}
