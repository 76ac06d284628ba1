import type { KubeObject } from '../../kube/kube-object.ts'
import { VIRTUAL_LABEL } from '../translate/virtual-label.ts'

/** Who does the work of a class: the host, by whatever it has. */
const HOST = 'vplane.dev/host'

const DEFAULT_STORAGE = 'storageclass.kubernetes.io/is-default-class'
const DEFAULT_INGRESS = 'ingressclass.kubernetes.io/is-default-class'

/** What a StorageClass of the plane says beside its name. */
export interface StorageClassFields {
  /** Whether claims that name no class are of this one. @default false */
  isDefault?: boolean
  /** @default `{}` */
  annotations?: Record<string, string>
  /** @default `Delete` */
  reclaimPolicy?: unknown
  /** @default `WaitForFirstConsumer`, which holds whatever the host does: a claim may have to wait for its pod */
  volumeBindingMode?: unknown
  /** @default true: the host is asked */
  allowVolumeExpansion?: boolean
}

/** A StorageClass of the plane. */
export function storageClass(
  name: string,
  {
    allowVolumeExpansion = true,
    annotations = {},
    isDefault = false,
    reclaimPolicy = 'Delete',
    volumeBindingMode = 'WaitForFirstConsumer',
  }: StorageClassFields = {},
): KubeObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: metadataOf(name, { ...annotations, [DEFAULT_STORAGE]: String(isDefault) }),
    provisioner: HOST,
    reclaimPolicy,
    volumeBindingMode,
    allowVolumeExpansion,
  }
}

/** An IngressClass of the plane. */
export function ingressClass(name: string, { isDefault = false } = {}): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: metadataOf(name, { [DEFAULT_INGRESS]: String(isDefault) }),
    spec: { controller: HOST },
  }
}

/** A RuntimeClass of the plane. */
export function runtimeClass(name: string): KubeObject {
  return {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: metadataOf(name),
    // A label, though names of classes may have dots; no kubelet of the plane reads it.
    handler: name.replaceAll('.', '-').slice(0, 63),
  }
}

/** A PriorityClass of the plane. */
export function priorityClass(
  name: string,
  fields: { value: unknown; preemptionPolicy: unknown },
): KubeObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: metadataOf(name),
    ...fields,
  }
}

/** Tells whether a StorageClass or an IngressClass is the one of those that name none. */
export function isDefaultClass({ metadata: { annotations = {} } }: KubeObject): boolean {
  return [DEFAULT_STORAGE, DEFAULT_INGRESS].some((key) => annotations[key] === 'true')
}

function metadataOf(
  name: string,
  annotations: Record<string, string> = {},
): KubeObject['metadata'] {
  return { name, labels: { [VIRTUAL_LABEL]: 'true' }, annotations }
}
