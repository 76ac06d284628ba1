import { FRONT_PROXY_USER } from '../../sync/prepare-sync.ts'
import type { PlaneSpec } from '../../spec/spec.ts'
import { LEAN_LISTS } from './api-groups.ts'
import { emulatedVersion } from './emulated-version.ts'
import { featureGates } from './feature-gates.ts'
import type { Layout } from './layout.ts'
import { mergeArguments } from './merge-arguments.ts'

const PROFILE_DEFAULTS: Record<Layout['profile'], Record<string, string>> = {
  // There are no cluster IPs that lead anywhere.
  nodeless: { 'enable-aggregator-routing': 'true' },
  synced: {},
  full: { 'enable-admission-plugins': 'NodeRestriction', 'enable-bootstrap-token-auth': 'true' },
}

/**
 * The arguments of kube-apiserver.
 *
 * @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed flag.
 */
export function apiServerArguments(spec: PlaneSpec, layout: Layout): string[] {
  return mergeArguments({
    component: 'kube-apiserver',
    managed: {
      ...addresses(spec, layout),
      ...identity(spec, layout),
      ...featureGates(spec.featureGates),
      ...emulatedVersion(spec),
      ...protection(spec, layout),
      ...kubeletClient(layout),
      ...serviceRouting(layout),
    },
    unset: ['anonymous-auth', 'authorization-config', 'etcd-prefix', 'feature-gates'],
    // A cluster with nodes is nothing without its workloads.
    lists: spec.apiGroups === 'lean' && layout.profile === 'nodeless' ? LEAN_LISTS : {},
    defaults: {
      // Nothing runs in a plane without nodes; objects for other clusters are stored as they come.
      'allow-privileged': 'true',
      'http2-max-streams-per-connection': '1000',
      'max-mutating-requests-inflight': '200',
      'max-requests-inflight': '400',
      profiling: 'false',
      ...(spec.audit === undefined ? {} : { 'audit-log-path': '-' }),
      ...shutdown(layout),
      'tls-min-version': 'VersionTLS12',
      ...PROFILE_DEFAULTS[layout.profile],
    },
    user: spec.apiServer.extraArgs,
  })
}

function addresses(spec: PlaneSpec, { apiServer, pkiFolder }: Layout) {
  return {
    'advertise-address': apiServer.advertiseAddress,
    'bind-address': apiServer.bindAddress,
    'secure-port': String(apiServer.port),
    'endpoint-reconciler-type': apiServer.endpointReconciler,
    'etcd-servers': apiServer.etcdServers.join(','),
    'etcd-cafile': `${pkiFolder}/etcd/ca.crt`,
    'etcd-certfile': `${pkiFolder}/apiserver-etcd-client.crt`,
    'etcd-keyfile': `${pkiFolder}/apiserver-etcd-client.key`,
    ...(spec.etcd.prefix === undefined ? {} : { 'etcd-prefix': spec.etcd.prefix }),
    'service-cluster-ip-range': spec.serviceRange,
  }
}

function identity(spec: PlaneSpec, { configurationFolder, pkiFolder, profile }: Layout) {
  return {
    'authentication-config': `${configurationFolder}/authentication.json`,
    'authorization-mode': profile === 'full' ? 'Node,RBAC' : 'RBAC',
    'client-ca-file': `${pkiFolder}/client-ca.crt`,
    'proxy-client-cert-file': `${pkiFolder}/front-proxy-client.crt`,
    'proxy-client-key-file': `${pkiFolder}/front-proxy-client.key`,
    'requestheader-allowed-names': FRONT_PROXY_USER,
    'requestheader-client-ca-file': `${pkiFolder}/front-proxy-ca.crt`,
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
    'service-account-issuer':
      spec.serviceAccountIssuer ?? `https://kubernetes.default.svc.${spec.clusterDomain}`,
    'service-account-key-file': `${pkiFolder}/sa.pub`,
    'service-account-signing-key-file': `${pkiFolder}/sa.key`,
    'tls-cert-file': `${pkiFolder}/apiserver.crt`,
    'tls-private-key-file': `${pkiFolder}/apiserver.key`,
  }
}

/** Without a time for watches it goes on until the last one ends by itself, or until it is killed. */
function shutdown({ apiServer: { shutdownDelaySeconds = 0 } }: Layout) {
  return shutdownDelaySeconds > 0
    ? {
        'shutdown-delay-duration': `${shutdownDelaySeconds}s`,
        'shutdown-watch-termination-grace-period': '10s',
      }
    : { 'shutdown-watch-termination-grace-period': '2s' }
}

/** What is written down of requests, and what is encrypted in etcd. */
function protection(spec: PlaneSpec, { configurationFolder, pkiFolder }: Layout) {
  return {
    ...(spec.audit === undefined
      ? {}
      : { 'audit-policy-file': `${configurationFolder}/audit-policy.json` }),
    ...(spec.encryption?.secrets === true
      ? { 'encryption-provider-config': `${pkiFolder}/encryption.json` }
      : {}),
  }
}

/** How kube-apiserver reaches kubelets, for logs, exec and port-forward; what has no nodes has none. */
function kubeletClient({ pkiFolder, profile }: Layout): Record<string, string> {
  if (profile === 'nodeless') {
    return {}
  }
  return {
    'kubelet-client-certificate': `${pkiFolder}/apiserver-kubelet-client.crt`,
    'kubelet-client-key': `${pkiFolder}/apiserver-kubelet-client.key`,
    ...(profile === 'full'
      ? { 'kubelet-preferred-address-types': 'InternalIP' }
      : {
          'kubelet-certificate-authority': `${pkiFolder}/kubelet-ca.crt`,
          // The name of the syncer's Service, which leads to whichever syncer serves.
          'kubelet-preferred-address-types': 'Hostname',
        }),
  }
}

/**
 * How kube-apiserver reaches Services, for webhooks and other API servers: where pods run on the host by the cluster IP,
 * which is the same there, and by external names, of which the syncer's metrics API is one.
 */
function serviceRouting({ profile }: Layout): Record<string, string> {
  return profile === 'synced' ? { 'enable-aggregator-routing': 'false' } : {}
}
