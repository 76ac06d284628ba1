import type { BackupSpec } from '../../control-plane/spec/fields/backup-spec.ts'
import type { CredentialSpecs } from '../../control-plane/spec/credentials/credentials-spec.ts'
import type { Expose } from '../../control-plane/spec/fields/host-spec.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../../control-plane/plane/plane.ts'
import { type Environment, neededVariable } from '../../shared/environment.ts'

export interface KeeperSettings {
  plane: string
  planeId: string
  /** Name of the ConfigMap for the keeper's status. */
  statusName: string
  /** The name in the certificates of the plane's API servers. */
  apiHost: string
  /** The DNS name of the members of etcd. */
  etcdHost: string
  /** The plane's components, in the order of their start. */
  components: readonly AnyComponentName[]
  etcdMembers: number
  /** The members have no volumes: one that loses its data copies that of the others. */
  hasEphemeralMembers: boolean
  /** @default the plane has no backups */
  backup?: BackupSpec
  /** The plane is paused when it is unused for this long: `30m`. @default never */
  idle?: string
  renews: boolean
  /** @default the plane has no Secrets with credentials */
  credentials?: CredentialSpecs
  /** How the plane is exposed, if a credential has that address. */
  expose?: Expose
}

/** @throws {Error} when one is missing, which the pod's template, from the same version of vplane, prevents. */
export function readSettings(environment: Environment): KeeperSettings {
  const value = (name: string) => neededVariable(environment, name)
  const components = value('VPLANE_COMPONENTS').split(',')
  const backup = environment['VPLANE_BACKUP'] ?? ''
  const idle = environment['VPLANE_IDLE'] ?? ''
  const credentials = environment['VPLANE_CREDENTIALS'] ?? ''
  const expose = environment['VPLANE_EXPOSE'] ?? ''
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
    ...(credentials === '' ? {} : { credentials: JSON.parse(credentials) }),
    ...(expose === '' ? {} : { expose: JSON.parse(expose) }),
  }
}
