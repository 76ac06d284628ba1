import { hash } from 'node:crypto'
import { MANAGED_BY } from '../../manifests/object-names.ts'

/**
 * Labels that make the host give a pod somebody's identity: injectors of the clouds act on them. Renamed like our own,
 * so that selectors of the plane still find them.
 */
const IDENTITY_LABELS = ['azure.workload.identity/use', 'aadpodidbinding']

/**
 * Annotations that are not for the host, by how they begin: they name host objects, host files or identities of the
 * host, or claim what only the host's own controllers may say.
 */
const DROPPED_ANNOTATIONS = [
  // Holds the virtual object once more, with what was refused or renamed.
  'kubectl.kubernetes.io/last-applied-configuration',
  // Profiles are fields by now, which the pod policy checks; sysctls were annotations once.
  'container.apparmor.security.beta.kubernetes.io/',
  'seccomp.security.alpha.kubernetes.io/',
  'container.seccomp.security.alpha.kubernetes.io/',
  'security.alpha.kubernetes.io/',
  // Make a pod a mirror of a kubelet's file, or critical.
  'kubernetes.io/config.',
  'scheduler.alpha.kubernetes.io/',
  // Bind a claim to a volume or a node; only the host's own controllers do.
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
  // Give devices, hooks and settings of the node to a container, past its fields.
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

/** Key that a user's label has on the host: its own, or one that cannot be mistaken for a marker of ours. */
export function toHostLabelKey(key: string): string {
  return isReserved(key) || IDENTITY_LABELS.includes(key) ? renamed('label', key) : key
}

/** Labels of a user as they are on the host. */
export function toHostLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [toHostLabelKey(key), value]),
  )
}

/** Tells whether an annotation of a user goes to the host as it is. */
export function isCopiedAnnotation(key: string): boolean {
  return (
    !isReserved(key) &&
    !domainOf(key).endsWith('.crio.io') &&
    !DROPPED_ANNOTATIONS.some((dropped) => key.toLowerCase().startsWith(dropped))
  )
}

/** Where the host object has an annotation that is not kept, when something has to read it there. */
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

/** No marker begins like that. */
function renamed(what: 'label' | 'annotation', key: string): string {
  return `vplane.dev/${what}-${hash('sha256', key).slice(0, 16)}`
}
