import type { SyncedResource } from '../scope/resources.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { domainOf, isNamed, isReserved } from './host-keys.ts'

/** Prefixes of annotations that are copied only if the owner names them whole: they name objects or identities of the host. */
const DANGEROUS = [
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
  'ipam.antrea.io/',
  'networking.gke.io/interfaces',
  // Give devices, hooks and settings of the node to a container, without any field of it.
  'cdi.k8s.io/',
  'io.kubernetes.cri-o.',
  'io.katacontainers.',
  'run.oci.',
  'dev.gvisor.',
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
  'vault.security.banzaicloud.io/',
  'dapr.io/',
  // Copy Secrets of any host namespace into this object.
  'replicator.v1.mittwald.de/',
  'reflector.v1.k8s.emberstack.com/',
  'kubed.appscode.com/',
]

/** The settings of ingress-nginx that affect nothing but their Ingress, and need no object of the host but translated ones. */
const NGINX = [
  'affinity',
  'affinity-mode',
  'app-root',
  'auth-realm',
  'auth-secret',
  'auth-secret-type',
  'auth-tls-pass-certificate-to-upstream',
  'auth-tls-secret',
  'auth-tls-verify-client',
  'auth-tls-verify-depth',
  'auth-type',
  'backend-protocol',
  'canary',
  'canary-by-cookie',
  'canary-by-header',
  'canary-by-header-value',
  'canary-weight',
  'canary-weight-total',
  'client-body-buffer-size',
  'cors-allow-credentials',
  'cors-allow-headers',
  'cors-allow-methods',
  'cors-allow-origin',
  'cors-expose-headers',
  'cors-max-age',
  'default-backend',
  'denylist-source-range',
  'enable-cors',
  'force-ssl-redirect',
  'limit-connections',
  'limit-rpm',
  'limit-rps',
  'load-balance',
  'proxy-body-size',
  'proxy-buffer-size',
  'proxy-buffering',
  'proxy-buffers-number',
  'proxy-connect-timeout',
  'proxy-http-version',
  'proxy-next-upstream',
  'proxy-next-upstream-timeout',
  'proxy-next-upstream-tries',
  'proxy-read-timeout',
  'proxy-request-buffering',
  'proxy-send-timeout',
  'proxy-ssl-secret',
  'proxy-ssl-server-name',
  'proxy-ssl-verify',
  'proxy-ssl-verify-depth',
  'rewrite-target',
  'session-cookie-expires',
  'session-cookie-max-age',
  'session-cookie-name',
  'session-cookie-path',
  'session-cookie-samesite',
  'session-cookie-secure',
  'ssl-redirect',
  'use-regex',
  'whitelist-source-range',
  'x-forwarded-prefix',
].map((name) => `nginx.ingress.kubernetes.io/${name}`)

/** Annotations that are copied without a word of the owner: they affect only their object. */
const COPIED: Partial<Record<SyncedResource, readonly string[]>> = {
  ingresses: NGINX,
  pods: ['kubernetes.io/egress-bandwidth', 'kubernetes.io/ingress-bandwidth'],
  services: ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'],
}

/** Domains whose annotations are for tools of the plane's users: the host's controllers do nothing else without them. */
const TOOLS = [
  'acme.cert-manager.io',
  'app.kubernetes.io',
  'argocd.argoproj.io',
  'cert-manager.io',
  'checksum',
  'deployment.kubernetes.io',
  'external-dns.alpha.kubernetes.io',
  'external-dns.kubernetes.io',
  'helm.sh',
  'kubectl.kubernetes.io',
  'meta.helm.sh',
  'prometheus.io',
]

/** Whether a user's annotation is copied to the host. */
export function isCopiedAnnotation(
  { annotations = ['*'] }: Pick<SyncScope, 'annotations'>,
  resource: SyncedResource,
  key: string,
): boolean {
  return isCopiedByDefault(resource, key) || isNamed(key, annotations, isDangerous)
}

/** Whether an annotation is copied without a word of the owner. */
export function isCopiedByDefault(resource: SyncedResource, key: string): boolean {
  return COPIED[resource]?.includes(key) ?? false
}

/** Whether an object means the same without an annotation, so that it may be left out. */
export function isDispensable(key: string): boolean {
  const domain = domainOf(key)
  const isOfTool = TOOLS.includes(domain) || domain.endsWith('.fluxcd.io') || domain === ''
  return isOfTool || isReserved(key) || isDangerous(key)
}

function isDangerous(key: string): boolean {
  return (
    ['.crio.io', '.nri.io'].some((domain) => domainOf(key).endsWith(domain)) ||
    DANGEROUS.some((prefix) => key.toLowerCase().startsWith(prefix))
  )
}
