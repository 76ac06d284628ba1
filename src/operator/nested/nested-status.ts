import {
  fieldAt,
  type Json,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
} from '../../shared/json-fields.ts'
import { conditionOf, type KubeObject } from '../../shared/kube/kube-object.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { ClusterNamespace } from './cluster-namespace.ts'
import { withTimes } from '../resource/with-times.ts'
import { placeOf, podSelector } from './nested-control-plane.ts'
import type { ObservedParts } from './observe-parts.ts'

/** What the operator knows about a NestedControlPlane. */
export interface NestedObservation {
  clusterNamespace?: ClusterNamespace
  /** @default nothing was observed: the former values stay */
  observed?: ObservedParts
  /** What the addons wait for. @default they were not applied yet */
  addons?: readonly string[]
  /** Why it is not what was asked for. */
  failure?: { reason: string; message: string }
  /** Why the operator leaves it alone, in words. @default it does not */
  paused?: string
  /** What its deletion waits for. @default it is not being deleted */
  deleting?: string
}

interface Condition {
  type: string
  status: 'False' | 'True' | 'Unknown'
  reason: string
  message: string
}

/** The status of a NestedControlPlane; the times of conditions that have not changed stay. */
export function nestedStatus(
  resource: KubeObject,
  observation: NestedObservation,
  now: Date,
): Json {
  const { clusterNamespace, observed } = observation
  const former = recordAt(resource, 'status') ?? {}
  const { generation } = resource.metadata
  const conditions = withTimes(resource, conditionsOf(resource, observation), now)
  const known = clusterNamespace ?? recordAt(former, 'clusterNamespace')
  return omitUndefined({
    ...former,
    ...(observed === undefined ? {} : ofComponents(resource, observed)),
    ...(known === undefined ? {} : { clusterNamespace: known }),
    observedGeneration: generation,
    externalManagedControlPlane: true,
    ready: conditions.find(({ type }) => type === 'Ready')?.status === 'True',
    conditions,
  })
}

function ofComponents(resource: KubeObject, observed: ObservedParts): Json {
  const { apiServer, controlPlane } = observed
  const version = textAt(controlPlane, 'status', 'version')
  const ready = numberAt(apiServer, 'status', 'readyReplicas') ?? 0
  const isInitialized =
    fieldAt(resource, 'status', 'initialization', 'controlPlaneInitialized') === true ||
    (ready > 0 && observed.kubeconfig !== undefined)
  const versioned = version === undefined ? undefined : `v${version}`
  return omitUndefined({
    version: versioned,
    versions:
      versioned === undefined
        ? undefined
        : [{ version: versioned, ...(ready > 0 ? { replicas: ready } : {}) }],
    selector: podSelector(placeOf(resource).name, 'kube-apiserver'),
    replicas: numberAt(apiServer, 'status', 'replicas') ?? 0,
    readyReplicas: ready,
    availableReplicas: numberAt(apiServer, 'status', 'availableReplicas') ?? 0,
    upToDateReplicas: numberAt(apiServer, 'status', 'updatedReplicas') ?? 0,
    initialization: isInitialized ? { controlPlaneInitialized: true } : undefined,
  })
}

function conditionsOf(resource: KubeObject, observation: NestedObservation): Condition[] {
  const { deleting, observed, paused } = observation
  if (paused !== undefined || observed === undefined) {
    const kept = recordsAt(resource, 'status', 'conditions').filter(
      ({ type }) =>
        !['Deleting', 'Paused', ...(observation.failure ? ['Ready'] : [])].includes(String(type)),
    )
    return [
      ...kept.map((one) => toCondition(one)),
      ...(observation.failure === undefined
        ? []
        : [{ type: 'Ready', status: 'False' as const, ...observation.failure }]),
      yesOrNo('Deleting', deleting),
      yesOrNo('Paused', paused),
    ]
  }
  const unready = unreadyPart(observed)
  const serving = numberAt(observed.apiServer, 'status', 'readyReplicas') ?? 0
  const isAvailable = serving > 0 && observed.kubeconfig !== undefined
  const unavailable = unready ?? 'kube-apiserver serves no requests'
  const problem = observation.failure ?? notReady(observation, unready)
  return [
    {
      type: 'Available',
      status: isAvailable ? 'True' : 'False',
      reason: isAvailable ? 'Available' : 'NotAvailable',
      message: isAvailable ? '' : unavailable,
    },
    {
      type: 'Ready',
      status: problem === undefined ? 'True' : 'False',
      ...(problem ?? { reason: 'Ready', message: '' }),
    },
    addonsCondition(observation),
    ...rollout(observed),
    yesOrNo('Deleting', deleting),
    yesOrNo('Paused', paused),
  ]
}

function toCondition(one: Json): Condition {
  const status = one['status']
  return {
    type: String(one['type']),
    status: status === 'True' || status === 'False' ? status : 'Unknown',
    reason: String(one['reason']),
    message: String(one['message']),
  }
}

/** `Paused`, or `NotPaused` without a reason. */
function yesOrNo(type: string, why: string | undefined): Condition {
  return why === undefined
    ? { type, status: 'False', reason: `Not${type}`, message: '' }
    : { type, status: 'True', reason: type, message: why }
}

/** The first part that is not ready, in the order in which they start. */
function unreadyPart({ statuses }: ObservedParts): string | undefined {
  const { etcd, kas, kcm, pki } = statuses
  const first = [etcd, kas, kcm, pki].find(({ ready }) => !ready)
  return first === undefined ? undefined : String(first['reason'])
}

function notReady(
  { addons, observed }: NestedObservation,
  unready: string | undefined,
): Pick<Condition, 'message' | 'reason'> | undefined {
  const degraded = conditionOf(observed?.controlPlane, 'Degraded')
  if (degraded?.['status'] === 'True') {
    return { reason: String(degraded['reason']), message: textAt(degraded, 'message') ?? '' }
  }
  if (unready !== undefined) {
    return { reason: 'PartNotReady', message: unready }
  }
  const ready = conditionOf(observed?.controlPlane, 'Ready')
  const isCurrent = ready?.['observedGeneration'] === observed?.controlPlane?.metadata['generation']
  if (ready?.['status'] !== 'True' || !isCurrent) {
    return { reason: 'Changing', message: textAt(ready, 'message') ?? 'the operator works on it' }
  }
  return addons === undefined || addons.length > 0
    ? { reason: 'AddonsNotReady', message: waitsFor(addons) }
    : undefined
}

function addonsCondition({ addons }: NestedObservation): Condition {
  const isReady = addons?.length === 0
  return {
    type: 'AddonsReady',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'Ready' : 'NotReady',
    message: isReady ? '' : waitsFor(addons),
  }
}

function waitsFor(addons: readonly string[] = ['the API of the control plane']): string {
  return `waiting for ${addons.join(', ')}`
}

/** As Cluster API names them. */
function rollout({ apiServer, controlPlane }: ObservedParts): Condition[] {
  const progressing = conditionOf(controlPlane, 'Progressing')
  const wanted = numberAt(apiServer, 'spec', 'replicas') ?? 0
  const present = numberAt(apiServer, 'status', 'replicas') ?? 0
  const isRolling = progressing?.['status'] === 'True'
  const one = (type: string, isSo: boolean, message: string): Condition => ({
    type,
    status: isSo ? 'True' : 'False',
    reason: isSo ? type : `Not${type}`,
    message: isSo ? message : '',
  })
  const pods = `${present} of ${wanted} pods of kube-apiserver`
  return [
    one('RollingOut', isRolling, textAt(progressing, 'message') ?? ''),
    one('ScalingUp', present < wanted, pods),
    one('ScalingDown', present > wanted, pods),
  ]
}
