import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { FRONT_PROXY_USER } from '../../sync/prepare-sync.ts'
import type { PlaneSpec } from '../../spec/spec.ts'
import { leanLists } from './api-groups.ts'
import { emulatedVersion } from './emulated-version.ts'
import type { Layout } from './layout.ts'
import { featureGates, mergeArguments } from './merge-arguments.ts'

const PROFILE_DEFAULTS: Record<Layout['profile'], Record<string, string>> = {
  // Nothing routes cluster IPs.
  nodeless: { 'enable-aggregator-routing': 'true' },
  synced: {},
  full: { 'enable-admission-plugins': 'NodeRestriction', 'enable-bootstrap-token-auth': 'true' },
}

/** @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed flag. */
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
    // A plane that runs pods needs the workload APIs.
    lists:
      spec.apiGroups === 'lean' && layout.profile === 'nodeless' ? leanLists(spec.version) : {},
    defaults: {
      // A nodeless plane runs nothing, and stores objects for other clusters unchanged.
      'allow-privileged': 'true',
      'http2-max-streams-per-connection': '1000',
      'max-mutating-requests-inflight': '200',
      'max-requests-inflight': '400',
      profiling: 'false',
      ...(spec.audit === undefined ? {} : { 'audit-log-path': '-' }),
      ...publicKeys(spec, layout),
      ...shutdown(layout),
      'tls-min-version': 'VersionTLS12',
      ...PROFILE_DEFAULTS[layout.profile],
    },
    user: spec.apiServer.extraArgs,
  })
}

function addresses(spec: PlaneSpec, layout: Layout) {
  const { apiServer } = layout
  return {
    'advertise-address': apiServer.advertiseAddress,
    'bind-address': apiServer.bindAddress,
    'secure-port': String(apiServer.port),
    ...(apiServer.sharesPort === true ? { 'permit-port-sharing': 'true' } : {}),
    'endpoint-reconciler-type': apiServer.endpointReconciler,
    'etcd-servers': apiServer.etcdServers.join(','),
    ...accessToStore(spec, layout),
    'service-cluster-ip-range': spec.serviceRange,
  }
}

/** Compacting a shared etcd needs its root user, and concerns all planes: so that is the keeper's duty. */
function accessToStore({ etcd }: PlaneSpec, { apiServer, pkiFolder }: Layout) {
  if (apiServer.sharedEtcd !== undefined) {
    const { caFile, certificateFile, keyFile, prefix } = apiServer.sharedEtcd
    return {
      'etcd-cafile': caFile,
      'etcd-certfile': certificateFile,
      'etcd-keyfile': keyFile,
      'etcd-prefix': prefix,
      'etcd-compaction-interval': '0',
    }
  }
  return {
    'etcd-cafile': `${pkiFolder}/etcd/ca.crt`,
    'etcd-certfile': `${pkiFolder}/apiserver-etcd-client.crt`,
    'etcd-keyfile': `${pkiFolder}/apiserver-etcd-client.key`,
    ...(etcd.prefix === undefined ? {} : { 'etcd-prefix': etcd.prefix }),
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
    'service-account-issuer': spec.serviceAccountIssuer ?? defaultIssuer(spec),
    'service-account-key-file': `${pkiFolder}/sa.pub`,
    'service-account-signing-key-file': `${pkiFolder}/sa.key`,
    'tls-cert-file': `${pkiFolder}/apiserver.crt`,
    'tls-private-key-file': `${pkiFolder}/apiserver.key`,
  }
}

function defaultIssuer({ clusterDomain }: PlaneSpec): string {
  return `https://kubernetes.default.svc.${clusterDomain}`
}

/**
 * Where pods find the keys that verify tokens. kube-apiserver's default has the address of one of its own pods, for which its
 * certificate is not valid.
 */
function publicKeys(spec: PlaneSpec, { profile }: Layout): Record<string, string> {
  return profile === 'synced' && spec.serviceAccountIssuer === undefined
    ? { 'service-account-jwks-uri': `${defaultIssuer(spec)}/openid/v1/jwks` }
    : {}
}

/** Without a grace period for watches, kube-apiserver runs until the last watch ends or it is killed. */
function shutdown({ apiServer: { shutdownDelaySeconds = 0 } }: Layout) {
  return shutdownDelaySeconds > 0
    ? {
        'shutdown-delay-duration': `${shutdownDelaySeconds}s`,
        'shutdown-watch-termination-grace-period': '10s',
      }
    : { 'shutdown-watch-termination-grace-period': '2s' }
}

function protection(spec: PlaneSpec, { configurationFolder, pkiFolder }: Layout) {
  const isEncrypted = spec.encryption?.secrets === true
  return omitUndefined({
    'audit-policy-file': spec.audit && `${configurationFolder}/audit-policy.json`,
    'encryption-provider-config': isEncrypted ? `${pkiFolder}/encryption.json` : undefined,
  })
}

/** How kube-apiserver connects to kubelets for logs, exec and port-forward; a nodeless plane has none. */
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
          // The name of the syncer's Service, which selects the syncer that serves.
          'kubelet-preferred-address-types': 'Hostname',
        }),
  }
}

/**
 * How kube-apiserver connects to Services of webhooks and other API servers. If pods run on the host, it uses the
 * cluster IP, which is the same there, and external names, such as that of the syncer's metrics API.
 */
function serviceRouting({ profile }: Layout): Record<string, string> {
  return profile === 'synced' ? { 'enable-aggregator-routing': 'false' } : {}
}
