import { hash } from 'node:crypto'
import { MANAGED_BY } from '../../manifests/object-names.ts'

/** Labels that make injectors of clouds give a pod an identity; renamed, so that selectors of the plane still match them. */
const IDENTITY_LABELS = ['azure.workload.identity/use', 'aadpodidbinding']

/** Prefixes of annotations that are not copied: they name objects or identities of the host, or are its controllers'. */
const DROPPED_ANNOTATIONS = [
  // Contains the virtual object again, with refused and renamed fields.
  'kubectl.kubernetes.io/last-applied-configuration',
  // Older forms of profiles and sysctls, which are fields today that the pod policy checks.
  'container.apparmor.security.beta.kubernetes.io/',
  'seccomp.security.alpha.kubernetes.io/',
  'container.seccomp.security.alpha.kubernetes.io/',
  'security.alpha.kubernetes.io/',
  // Make a pod critical, or the mirror pod of a file of the kubelet.
  'kubernetes.io/config.',
  'scheduler.alpha.kubernetes.io/',
  // Bind a claim to a volume or a node, which only the host's own controllers may do.
  'pv.kubernetes.io/',
  'volume.kubernetes.io/',
  'volume.beta.kubernetes.io/',
  // Make a Secret the token of a host ServiceAccount.
  'kubernetes.io/service-account.',
  // Attach pods to networks of the host, or choose their addresses.
  'k8s.v1.cni.cncf.io/',
  'v1.multus-cni.io/',
  'cni.projectcalico.org/',
  'ipam.cilium.io/',
  'k8s.ovn.org/',
  'ovn.kubernetes.io/',
  // Give devices, hooks and settings of the node to a container, without any field of it.
  'cdi.k8s.io/',
  'io.kubernetes.cri-o.',
  'io.katacontainers.',
  'run.oci.',
  // Give a pod an identity at the host's cloud.
  'iam.amazonaws.com/',
  'eks.amazonaws.com/',
  'iam.gke.io/',
  'azure.workload.identity/',
  // Injectors of the host add containers and mount Secrets by their host names.
  'sidecar.istio.io/',
  'inject.istio.io/',
  'proxy.istio.io/',
  'linkerd.io/',
  'config.linkerd.io/',
  'vault.hashicorp.com/',
  // Copy Secrets of any host namespace into this object.
  'replicator.v1.mittwald.de/',
  'reflector.v1.k8s.emberstack.com/',
]

/** The key of a user's label on the host: the same, or another one for what the host would read as something else. */
export function toHostLabelKey(key: string): string {
  return isReserved(key) || IDENTITY_LABELS.includes(key) ? renamed('label', key) : key
}

/** A user's labels with their keys on the host. */
export function toHostLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [toHostLabelKey(key), value]),
  )
}

/** Whether a user's annotation is copied to the host. */
export function isCopiedAnnotation(key: string): boolean {
  return (
    !isReserved(key) &&
    !domainOf(key).endsWith('.crio.io') &&
    !DROPPED_ANNOTATIONS.some((dropped) => key.toLowerCase().startsWith(dropped))
  )
}

/** The key on the host for an annotation that is not copied but has to be read there. */
export function droppedAnnotationKey(key: string): string {
  return renamed('annotation', key)
}

function isReserved(key: string): boolean {
  const domain = domainOf(key)
  return key === MANAGED_BY || domain === 'vplane.dev' || domain.endsWith('.vplane.dev')
}

function domainOf(key: string): string {
  const slash = key.indexOf('/')
  return slash === -1 ? '' : key.slice(0, slash).toLowerCase()
}

/** No marker has this prefix. */
function renamed(what: 'label' | 'annotation', key: string): string {
  return `vplane.dev/${what}-${hash('sha256', key).slice(0, 16)}`
}
