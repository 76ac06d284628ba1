import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { COMPONENT_LABEL, SHARED_LABEL } from '../../../manifests/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { Condition } from './host-pod.ts'

/** Quantities by the name of the resource: `memory: 256Mi`. */
export type Quantities = Record<string, string>

export interface Container {
  name: string
  /** An init container with `Always` runs beside the containers. */
  restartPolicy?: string
  resources?: { requests?: Quantities; limits?: Quantities }
}

export interface PodSpec {
  containers?: Container[]
  initContainers?: Container[]
  priorityClassName?: string
  activeDeadlineSeconds?: number
  volumes?: object[]
  [field: string]: unknown
}

export interface Claim extends KubeObject {
  spec?: { storageClassName?: string; resources?: { requests?: Quantities } }
}

type ClaimTemplate = Partial<Pick<Claim, 'metadata' | 'spec'>>

type Labels = Record<string, string>

/** A StatefulSet or a Deployment, with the fields that determine the number and the size of its pods. */
export interface Workload extends KubeObject {
  spec?: {
    replicas?: number
    selector?: { matchLabels?: Labels }
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: number | string } }
    template?: {
      metadata?: { labels?: Labels; annotations?: Record<string, string> }
      spec?: PodSpec
    }
    volumeClaimTemplates?: ClaimTemplate[] | null
  }
  status?: { replicas?: number; conditions?: Condition[] }
}

/** Returns the objects that run pods. */
export function workloadsOf(objects: readonly KubeObject[]): Workload[] {
  return objects.filter(
    (object): object is Workload => object.kind === 'StatefulSet' || object.kind === 'Deployment',
  )
}

/** Returns the component that an object belongs to. */
export function componentOf({ metadata }: KubeObject): AnyComponentName | undefined {
  const label = metadata.labels?.[COMPONENT_LABEL] ?? metadata.labels?.[SHARED_LABEL]
  return ALL_COMPONENT_NAMES.find((name) => name === label)
}

/** Returns how many pods exist beside the wanted ones during a rollout. */
export function surgeOf({ kind, spec }: Workload): number {
  if (kind !== 'Deployment' || spec?.strategy?.type === 'Recreate') {
    return 0
  }
  const maxSurge = spec?.strategy?.rollingUpdate?.maxSurge ?? '25%'
  return typeof maxSurge === 'number'
    ? maxSurge
    : Math.ceil((Number.parseFloat(maxSurge) / 100) * (spec?.replicas ?? 1))
}

/** Returns the volume claims of workloads, as the StatefulSet controller creates them. */
export function claimsOf(workloads: readonly Workload[]): Claim[] {
  return workloads.flatMap(({ metadata, spec }) =>
    (spec?.volumeClaimTemplates ?? []).flatMap((template) =>
      Array.from({ length: spec?.replicas ?? 1 }, (_, ordinal) => ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          ...template.metadata,
          name: `${template.metadata?.name ?? ''}-${metadata.name ?? ''}-${ordinal}`,
          labels: { ...template.metadata?.labels, ...spec?.selector?.matchLabels },
        },
        ...(template.spec && { spec: template.spec }),
      })),
    ),
  )
}
