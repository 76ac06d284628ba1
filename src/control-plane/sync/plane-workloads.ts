import { fieldAt, numberAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import type { Resource } from '../../shared/kube/collections.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { listObjects } from '../api/list-objects.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import { hasNode, isEnded } from '../api/pods.ts'

/** Each kind with what is said of its pods; undefined for an object that starts none. */
const WORKLOADS: ReadonlyArray<
  readonly [kind: string, resource: Resource, pods: (object: KubeObject) => string | undefined]
> = [
  ['Deployment', 'deployments', ofReplicas],
  ['StatefulSet', 'statefulsets', ofReplicas],
  ['DaemonSet', 'daemonsets', () => 'a pod on each node'],
  ['ReplicaSet', 'replicasets', ofReplicas],
  ['ReplicationController', 'replicationcontrollers', ofReplicas],
  ['Job', 'jobs', ofJob],
  ['CronJob', 'cronjobs', ofCronJob],
  ['Pod', 'pods', (pod) => (isEnded(pod) ? undefined : '1 pod')],
]

/** Returns the workloads whose pods start when a plane begins to run pods: `Deployment default/web, 3 pods`. */
export async function startingWorkloads(
  api: Pick<PlaneApi, 'get'>,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await Promise.all(
    WORKLOADS.map(async ([kind, resource, podsOf]) => {
      const objects = await listObjects(api, resource, signal)
      return objects
        .filter((object) => !isLeaving(object) && !isControlled(object))
        .flatMap((object) => {
          const pods = podsOf(object)
          return pods === undefined ? [] : [`${kind} ${nameOf(object)}, ${pods}`]
        })
    }),
  )
  return found.flat()
}

/** The pods of a plane that have not ended. */
export interface RunningPods {
  /** Their names: `default/web-1`. */
  all: string[]
  /** Those that no controller creates again. */
  bare: string[]
}

/** Returns the pods that have a node and have not ended. */
export async function runningPods(
  api: Pick<PlaneApi, 'get'>,
  signal: AbortSignal,
): Promise<RunningPods> {
  const pods = (await listObjects(api, 'pods', signal)).filter(
    (pod) => hasNode(pod) && !isEnded(pod),
  )
  return { all: pods.map(nameOf), bare: pods.filter((pod) => !isControlled(pod)).map(nameOf) }
}

/** Returns the addresses that the Services of a plane have in the plane. */
export async function addressesInPlane(
  api: Pick<PlaneApi, 'get'>,
  signal: AbortSignal,
): Promise<Array<{ name: string; address: string }>> {
  const services = await listObjects(api, 'services', signal)
  return services.flatMap((service) => {
    const address = textAt(service, 'spec', 'clusterIP') ?? 'None'
    return address === 'None' || address === '' ? [] : [{ name: nameOf(service), address }]
  })
}

/** Whether a controller creates an object again when it is deleted. */
export function isControlled({ metadata }: KubeObject): boolean {
  return recordsAt(metadata, 'ownerReferences').some(({ controller }) => controller === true)
}

function ofReplicas(object: KubeObject): string | undefined {
  return inWords(numberAt(object, 'spec', 'replicas') ?? 1)
}

function ofJob(job: KubeObject): string | undefined {
  const hasEnded = recordsAt(job, 'status', 'conditions').some(
    ({ status, type }) => status === 'True' && (type === 'Complete' || type === 'Failed'),
  )
  return hasEnded || isSuspended(job)
    ? undefined
    : inWords(numberAt(job, 'spec', 'parallelism') ?? 1)
}

function ofCronJob(object: KubeObject): string | undefined {
  return isSuspended(object) ? undefined : 'by its schedule'
}

function isSuspended(object: KubeObject): boolean {
  return fieldAt(object, 'spec', 'suspend') === true
}

function inWords(count: number): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? 'pod' : 'pods'}`
}

function nameOf({ metadata: { name = '', namespace = '' } }: KubeObject): string {
  return `${namespace}/${name}`
}
