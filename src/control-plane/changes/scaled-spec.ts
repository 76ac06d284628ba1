import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { Plane } from '../plane/plane.ts'
import type { UserSpec } from '../spec/spec.ts'
import { refuseWithout } from '../store/store.ts'

/** The wanted number of instances per component. @default unchanged */
export interface Scale {
  etcd?: number | undefined
  apiServer?: number | undefined
  controllerManager?: number | undefined
}

const MEMBERS = [1, 3, 5] as const

/** @throws {VplaneError} `UNSUPPORTED` for the local driver, or when the store has no members, `USAGE` for an invalid number of etcd members. */
export function scaledSpec(
  { driver, name, spec, userSpec }: Pick<Plane, 'driver' | 'name' | 'spec' | 'userSpec'>,
  { apiServer, controllerManager, etcd }: Scale,
): UserSpec {
  if (driver === 'local') {
    const message = `"${name}" runs on this machine, with one process of each component`
    throw new VplaneError('UNSUPPORTED', message, {
      hints: ['the driver "kubernetes" can run several'],
    })
  }
  if (etcd !== undefined) {
    refuseWithout({ name, spec }, 'members')
  }
  const members = MEMBERS.find((one) => one === etcd)
  if (etcd !== undefined && members === undefined) {
    throw new VplaneError('USAGE', `etcd has 1, 3 or 5 members, not ${etcd}`, {
      hints: ['an even number of members tolerates no more failures than one member fewer'],
    })
  }
  return omitUndefined({
    ...userSpec,
    etcd: scaled(userSpec.etcd, members),
    apiServer: scaled(userSpec.apiServer, apiServer),
    controllerManager: scaled(userSpec.controllerManager, controllerManager),
  })
}

function scaled<Component extends object, Count>(component?: Component, replicas?: Count) {
  return replicas === undefined ? component : { ...component, replicas }
}
