import { VplaneError } from '../../shared/errors.ts'
import type { Plane } from '../plane/plane.ts'
import type { UserSpec } from '../spec/spec.ts'

/** How many of each there are to be. @default as many as there are */
export interface Scale {
  etcd?: number | undefined
  apiServer?: number | undefined
  controllerManager?: number | undefined
}

/** Numbers of members of which every second one makes etcd outlive one failure more. */
const MEMBERS = [1, 3, 5] as const

/**
 * A plane's user's spec with other numbers of its components.
 *
 * @throws {VplaneError} `UNSUPPORTED` for a plane of this machine, `USAGE` for a number that cannot be.
 */
export function scaledSpec(
  { driver, name, userSpec }: Pick<Plane, 'driver' | 'name' | 'userSpec'>,
  { apiServer, controllerManager, etcd }: Scale,
): UserSpec {
  if (driver === 'local') {
    throw new VplaneError(
      'UNSUPPORTED',
      `"${name}" runs on this machine, where every plane has one of each`,
      { hints: ['planes of the driver "kubernetes" can have several'] },
    )
  }
  const members = MEMBERS.find((one) => one === etcd)
  if (etcd !== undefined && members === undefined) {
    throw new VplaneError('USAGE', `etcd has 1, 3 or 5 members, not ${etcd}`, {
      hints: ['an even number outlives no more failures than one member less'],
    })
  }
  return {
    ...userSpec,
    ...(members === undefined ? {} : { etcd: { ...userSpec.etcd, replicas: members } }),
    ...(apiServer === undefined
      ? {}
      : { apiServer: { ...userSpec.apiServer, replicas: apiServer } }),
    ...(controllerManager === undefined
      ? {}
      : { controllerManager: { ...userSpec.controllerManager, replicas: controllerManager } }),
  }
}
