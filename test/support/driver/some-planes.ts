import { packageVersion } from '../../../src/shared/package-root.ts'
import type { UnreadablePlane } from '../../../src/control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import type { PlaneStatus } from '../../../src/control-plane/status/plane-status.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { ListedPlane } from '../../../src/control-plane/use-cases/find/list-control-planes.ts'

/** When tests that look at ages happen. */
export const NOON = new Date('2026-06-01T12:00:00Z')

const HOUR_MS = 3_600_000

/** A time so many hours away from noon. */
export function hoursFromNoon(hours: number): Date {
  return new Date(NOON.getTime() + hours * HOUR_MS)
}

/** A plane that was made an hour before noon; `fields` replaces some of it. */
export function storedPlane(name: string, fields: Partial<Plane> = {}): Plane {
  return {
    name,
    driver: 'local',
    id: `id-of-${name}`,
    createdAt: hoursFromNoon(-1),
    writtenBy: '0.1.0',
    madeBy: packageVersion(),
    userSpec: {},
    spec: resolveSpec({}),
    desired: 'running',
    ...fields,
  }
}

/** A plane that is ready, as a list has it. */
export function listed(
  plane: Plane | UnreadablePlane,
  status: Partial<PlaneStatus> = {},
  isConnected = false,
): ListedPlane {
  return { plane, isConnected, status: { phase: 'Ready', components: [], ...status } }
}
