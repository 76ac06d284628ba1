import type { AnyComponentName, Plane } from '../../control-plane/plane/plane.ts'
import type { CredentialState } from '../../control-plane/driver/plane-credentials.ts'
import { backupProblem } from '../../control-plane/status/backup-status.ts'
import type { PlaneStatus } from '../../control-plane/status/plane-status.ts'
import { canStore } from '../../control-plane/store/store.ts'
import { recordAt } from '../../shared/json-fields.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { withTimes } from './with-times.ts'

export interface Condition {
  type: 'BackupHealthy' | 'CredentialsReady' | 'Degraded' | 'Progressing' | 'Ready'
  status: 'False' | 'True' | 'Unknown'
  reason: string
  message: string
}

/** What the operator has found out about a ControlPlane. */
export interface Observation {
  plane?: Plane | undefined
  status?: PlaneStatus | undefined
  /** The Secrets with credentials, by their entries. @default it has none */
  credentials?: ReadonlyArray<CredentialState & { entry: string }> | undefined
  /** What the operator does to the plane now, in words. @default it does nothing */
  work?: string
  /** Why the plane is not as the ControlPlane wants it, or cannot become so. */
  failure?: { reason: string; message: string } | undefined
}

/** The status of a ControlPlane; the times of conditions that have not changed stay. */
export function toResourceStatus(
  resource: KubeObject,
  observation: Observation,
  now: Date,
): Record<string, unknown> {
  const { plane, status } = observation
  const { generation } = resource.metadata
  const conditions = withTimes(resource, conditionsOf(observation, now), now)
  const replicasOf = (component: AnyComponentName) =>
    status?.components.find(({ name }) => name === component)?.replicas
  return omitUndefined({
    observedGeneration: generation,
    conditions,
    version: plane?.spec.version,
    etcdVersion: plane && canStore(plane.spec, 'members') ? plane.spec.etcdVersion : undefined,
    vplaneVersion: plane && (plane.madeBy ?? plane.writtenBy),
    ...(status === undefined
      ? observedBefore(resource)
      : {
          endpoint: status.server,
          replicas: replicasOf('kube-apiserver')?.ready,
          members: replicasOf('etcd'),
          certificatesExpireAt: status.certificatesExpireAt?.toISOString(),
        }),
    // A field that stays is checked against it, also while the plane cannot be read.
    resolved: plane?.spec ?? recordAt(resource, 'status', 'resolved'),
  })
}

/** While the operator works on a plane it does not observe it: clients still need its address. */
function observedBefore(resource: KubeObject): Record<string, unknown> {
  const { certificatesExpireAt, endpoint, members, replicas } = recordAt(resource, 'status') ?? {}
  return { endpoint, replicas, members, certificatesExpireAt }
}

function conditionsOf(observation: Observation, now: Date): Condition[] {
  const { failure, plane, status, work } = observation
  const phase = status?.phase ?? (plane === undefined ? 'Creating' : 'Changing')
  const operation = status?.operation
  const isAtWork = work !== undefined || (operation !== undefined && !operation.isInterrupted)
  const isServing =
    phase === 'Ready' &&
    status?.components.find(({ name }) => name === 'kube-apiserver')?.replicas?.ready !== 0
  const isReady = isServing && !isAtWork && failure === undefined
  const why = failure ?? { reason: phase, message: status?.reason ?? '' }
  const progress = { reason: phase, message: work ?? operation?.step ?? '' }
  const isStarting = failure === undefined && (plane === undefined || phase === 'Starting')
  return [
    {
      type: 'Ready',
      status: isReady ? 'True' : 'False',
      ...(work === undefined || failure !== undefined ? why : { ...progress, reason: 'Changing' }),
    },
    {
      type: 'Progressing',
      status: isAtWork || isStarting ? 'True' : 'False',
      ...progress,
      reason: operation?.kind ?? (work === undefined ? phase : 'Reconciling'),
    },
    {
      type: 'Degraded',
      status: phase === 'NotReady' || failure !== undefined ? 'True' : 'False',
      ...why,
    },
    ...credentialsCondition(observation),
    ...backupCondition(observation, now),
  ]
}

/** Only of a plane with Secrets for credentials. */
function credentialsCondition({ credentials = [] }: Observation): Condition[] {
  if (credentials.length === 0) {
    return []
  }
  const failed = credentials.find(({ failure }) => failure !== undefined)
  const missing = credentials.find(({ isWritten }) => isWritten !== true)
  const type = 'CredentialsReady'
  if (failed !== undefined) {
    const message = `${failed.entry}: ${failed.failure}`
    return [{ type, status: 'False', reason: 'CredentialFailed', message }]
  }
  return missing === undefined
    ? [{ type, status: 'True', reason: 'Written', message: '' }]
    : [{ type, status: 'False', reason: 'NotWritten', message: `${missing.entry} is not written` }]
}

/** Only of a plane with backups. */
function backupCondition({ plane, status }: Observation, now: Date): Condition[] {
  if (plane?.spec.backup === undefined) {
    return []
  }
  const backup = status?.backup ?? {}
  const problem = backupProblem(backup, { createdAt: plane.createdAt, now })
  const isKnown = backup.last !== undefined || problem !== undefined
  return [
    {
      type: 'BackupHealthy',
      status: problem !== undefined ? 'False' : isKnown ? 'True' : 'Unknown',
      reason: problem !== undefined ? 'BackupFailed' : isKnown ? 'BackedUp' : 'NoBackupYet',
      message: problem ?? backup.last?.at.toISOString() ?? '',
    },
  ]
}
