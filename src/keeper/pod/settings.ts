import type { BackupSpec } from '../../control-plane/spec/fields/backup-spec.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../../control-plane/plane/plane.ts'
import { type Environment, neededVariable } from '../../shared/environment.ts'

/** What a keeper in a pod is told at its start. */
export interface KeeperSettings {
  plane: string
  planeId: string
  /** Name of the ConfigMap in which it says how things stand. */
  statusName: string
  /** The name that the certificates of its API servers are for. */
  apiHost: string
  /** Under which name the members of etcd are found. */
  etcdHost: string
  /** All that the plane has, in the order of their start. */
  components: readonly AnyComponentName[]
  /** How many members etcd is to have. */
  etcdMembers: number
  /** Their data goes with their pods: what one loses, the others give back. */
  hasEphemeralMembers: boolean
  /** @default its data is copied by nobody */
  backup?: BackupSpec
  /** It pauses itself when nobody has used it for so long: `30m`. @default it never does */
  idle?: string
  /** Renews certificates of the plane. */
  renews: boolean
}

/**
 * The settings in the environment of a keeper's pod.
 *
 * @throws {Error} when one is missing: the pod's template and the keeper come from the same vplane.
 */
export function readSettings(environment: Environment): KeeperSettings {
  const value = (name: string) => neededVariable(environment, name)
  const components = value('VPLANE_COMPONENTS').split(',')
  const backup = environment['VPLANE_BACKUP'] ?? ''
  const idle = environment['VPLANE_IDLE'] ?? ''
  return {
    plane: value('VPLANE_PLANE'),
    planeId: value('VPLANE_PLANE_ID'),
    statusName: value('VPLANE_STATUS'),
    apiHost: value('VPLANE_API_HOST'),
    etcdHost: value('VPLANE_ETCD_HOST'),
    components: ALL_COMPONENT_NAMES.filter((name) => components.includes(name)),
    etcdMembers: Number(value('VPLANE_ETCD_MEMBERS')),
    hasEphemeralMembers: environment['VPLANE_PASSING_MEMBERS'] === 'true',
    renews: environment['VPLANE_RENEW'] === 'true',
    ...(backup === '' ? {} : { backup: JSON.parse(backup) }),
    ...(idle === '' ? {} : { idle }),
  }
}
