import { RECORD_TYPE } from '../../drivers/kubernetes/context/object-names.ts'
import { whenAwake } from '../../drivers/kubernetes/gateway/endpoint-switch.ts'
import type { CacheOptions } from '../../kube/cache/object-cache.ts'
import { fieldAt, recordAt, recordsAt } from '../../shared/json-fields.ts'
import type { Resource } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** A part of the objects of planes that is watched. */
export interface WatchedObjects extends Pick<
  CacheOptions,
  'fieldSelector' | 'keep' | 'metadataOnly'
> {
  resource: Resource
}

/**
 * The objects of planes, with what their statuses show. Of all others only their metadata, which changes with
 * them: keys stay where they are.
 */
export const WATCHED: readonly WatchedObjects[] = [
  { resource: 'secrets', fieldSelector: `type=${RECORD_TYPE}` },
  {
    resource: 'secrets',
    fieldSelector: `type!=${RECORD_TYPE}`,
    metadataOnly: true,
    keep: metadataOf,
  },
  { resource: 'configmaps', keep: (map) => (isStatus(map) ? map : metadataOf(map)) },
  { resource: 'services' },
  { resource: 'pods', keep: withoutSpec },
  { resource: 'statefulsets', keep: workloadOf },
  { resource: 'deployments', keep: workloadOf },
  ...(
    [
      'serviceaccounts',
      'roles',
      'rolebindings',
      'networkpolicies',
      'poddisruptionbudgets',
      'ingresses',
    ] as const
  ).map((resource) => ({ resource, metadataOnly: true, keep: metadataOf })),
]

/** Whether keepers and syncers report in an object: it is no part of what a spec says. */
export function isStatus({ metadata }: KubeObject): boolean {
  return metadata.name?.endsWith('-status') === true
}

/** Whether an object is the record of a plane. */
export function isRecordOfPlane({ type }: KubeObject): boolean {
  return type === RECORD_TYPE
}

/**
 * What of an object changes when someone changes it, as a text. The host counts the changes of specs of workloads and of
 * others, and its controllers change what is not counted. Where the endpoint of a plane leads is no difference.
 */
export function printOf(object: KubeObject): string {
  const { metadata, spec } = whenAwake(object)
  const { annotations, generation, labels, resourceVersion, uid } = metadata
  const version = object.kind === 'Service' ? spec : (generation ?? resourceVersion)
  return JSON.stringify([uid, version, labels, { ...annotations, [ROLLOUT]: undefined }])
}

/** The annotation in which the host counts the rollouts of a Deployment. */
const ROLLOUT = 'deployment.kubernetes.io/revision'

function withoutSpec(object: KubeObject): KubeObject {
  const { spec: _, ...rest } = object
  return rest
}

function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata }
}

/** Its replicas, its image and its status. */
function workloadOf(workload: KubeObject): KubeObject {
  const [{ image } = {}] = recordsAt(workload, 'spec', 'template', 'spec', 'containers')
  const { conditions: _, ...status } = recordAt(workload, 'status') ?? {}
  return {
    ...metadataOf(workload),
    spec: {
      replicas: fieldAt(workload, 'spec', 'replicas'),
      template: { spec: { containers: [{ image }] } },
    },
    status,
  }
}
