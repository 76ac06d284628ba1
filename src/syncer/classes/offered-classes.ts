import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../../kube/cache/object-cache.ts'
import type { Rules } from '../scope/settings.ts'
import type { ClaimContext } from '../translate/kinds/claim.ts'
import type { IngressContext } from '../translate/kinds/ingress.ts'
import type { PodContext } from '../translate/pod-draft/pod-context.ts'
import { textAt } from '../../shared/json-fields.ts'
import { VIRTUAL_LABEL } from '../translate/markers.ts'
import { byClassResource, type Classes, type ClassResource } from './class-kinds.ts'

/** The classes of the host by those of the plane. */
export interface HostClasses
  extends
    Pick<ClaimContext, 'storageClasses'>,
    Pick<IngressContext, 'ingressClasses'>,
    Pick<PodContext, 'priorityClasses' | 'runtimeClasses'> {}

/** The host's classes that the syncer may read. */
type HostSides = Record<ClassResource, { host?: Pick<ObjectCache, 'values'> }>

/** The class of claims for which the host chooses one. */
const DEFAULT_STORAGE_CLASS = 'default'

/** The provisioner and the controller of classes: the host, with its own ones. */
const HOST = 'vplane.dev/host'

/** Annotation with the provisioner of a class on the host. */
const PROVISIONER = 'vplane.dev/provisioner'

const DEFAULT_STORAGE = 'storageclass.kubernetes.io/is-default-class'
const DEFAULT_INGRESS = 'ingressclass.kubernetes.io/is-default-class'

/** The classes that a plane must have now: those in its spec, or all of its host. */
export function wantedClasses(rules: Rules, sides: HostSides): Classes {
  return rules.classes === true
    ? shownClasses(byClassResource((resource) => [...(sides[resource].host?.values() ?? [])]))
    : namedClasses(rules)
}

/** The classes of the host that a plane may use now, under their own names or those that the spec maps to them. */
export function hostClasses(rules: Rules, sides: HostSides): HostClasses {
  const wanted = wantedClasses(rules, sides)
  const names = byClassResource((resource) => wanted[resource].map(nameOf))
  const sameNames = (resource: ClassResource) =>
    new Map<string, string>(names[resource].map((name) => [name, name]))
  const isLeftToHost =
    rules.classes !== true && !rules.storageClasses?.includes(DEFAULT_STORAGE_CLASS)
  return {
    ingressClasses: sameNames('ingressclasses'),
    priorityClasses: new Map([
      ...sameNames('priorityclasses'),
      ...Object.entries(rules.priorityClasses ?? {}),
    ]),
    runtimeClasses: names.runtimeclasses,
    storageClasses: new Map<string, string | undefined>([
      ...sameNames('storageclasses'),
      ...(isLeftToHost ? [[DEFAULT_STORAGE_CLASS, undefined] as const] : []),
    ]),
  }
}

/** The classes of a plane without access to its host's: those in its spec, and the default one for storage. */
function namedClasses({
  ingressClasses = [],
  runtimeClasses = [],
  storageClasses = [],
}: Rules): Classes {
  const storageNames = new Set([DEFAULT_STORAGE_CLASS, ...storageClasses])
  return {
    storageclasses: [...storageNames].map((name) =>
      storageClass(name, {
        annotations: { [DEFAULT_STORAGE]: String(name === DEFAULT_STORAGE_CLASS) },
        reclaimPolicy: 'Delete',
        // Correct for any class of the host: a claim may have to wait for its pod.
        volumeBindingMode: 'WaitForFirstConsumer',
        // The host decides.
        allowVolumeExpansion: true,
      }),
    ),
    ingressclasses: ingressClasses.map((name) => ingressClass(name, false)),
    runtimeclasses: runtimeClasses.map(runtimeClass),
    priorityclasses: [],
  }
}

/** All classes of the host, under the same names and without their parameters, except the system priority classes. */
function shownClasses(host: Classes): Classes {
  return {
    storageclasses: host.storageclasses.map((one) =>
      storageClass(nameOf(one), {
        annotations: {
          [PROVISIONER]: textAt(one, 'provisioner') ?? '',
          [DEFAULT_STORAGE]: String(isDefault(one)),
        },
        reclaimPolicy: one['reclaimPolicy'] ?? 'Delete',
        volumeBindingMode: one['volumeBindingMode'] ?? 'WaitForFirstConsumer',
        allowVolumeExpansion: one['allowVolumeExpansion'] === true,
      }),
    ),
    ingressclasses: host.ingressclasses.map((one) => ingressClass(nameOf(one), isDefault(one))),
    runtimeclasses: host.runtimeclasses.map((one) => runtimeClass(nameOf(one))),
    priorityclasses: host.priorityclasses
      .filter((one) => !nameOf(one).startsWith('system-'))
      .map((one) => ({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: metadataOf(nameOf(one)),
        value: one['value'],
        preemptionPolicy: one['preemptionPolicy'] ?? 'PreemptLowerPriority',
      })),
  }
}

function storageClass(
  name: string,
  { annotations, ...fields }: Record<string, unknown> & { annotations: Record<string, string> },
): KubeObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: metadataOf(name, annotations),
    provisioner: HOST,
    ...fields,
  }
}

function ingressClass(name: string, isTheDefault: boolean): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: metadataOf(name, { [DEFAULT_INGRESS]: String(isTheDefault) }),
    spec: { controller: HOST },
  }
}

function runtimeClass(name: string): KubeObject {
  return {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: metadataOf(name),
    // Must be a DNS label, unlike names of classes; no kubelet of the plane reads it.
    handler: name.replaceAll('.', '-').slice(0, 63),
  }
}

function isDefault({ metadata: { annotations = {} } }: KubeObject): boolean {
  return [DEFAULT_STORAGE, DEFAULT_INGRESS].some((key) => annotations[key] === 'true')
}

/** Without annotations, if there are none: the API leaves out empty ones, and they would differ from the class it has. */
function metadataOf(name: string, annotations?: Record<string, string>): KubeObject['metadata'] {
  return { name, labels: { [VIRTUAL_LABEL]: 'true' }, ...(annotations && { annotations }) }
}

function nameOf({ metadata: { name = '' } }: KubeObject): string {
  return name
}
