import { minorOf } from '../../spec/kubernetes-version.ts'
import type { PlaneSpec } from '../../spec/spec.ts'
import { LEAN_GATES } from './api-groups.ts'
import { emulatedVersion } from './emulated-version.ts'
import { featureGates } from './feature-gates.ts'
import type { Layout } from './layout.ts'
import { mergeArguments } from './merge-arguments.ts'

/**
 * The controllers of a plane without nodes: what namespaces, service accounts, garbage collection, quotas, roles and
 * certificate requests need, and those that let an object go which kube-apiserver protects
 * (.github/decisions/0011-no-finalizer-without-its-controller.md). All of them exist under these names in every minor
 * that vplane knows.
 */
const NODELESS = [
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'pod-garbage-collector-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'validatingadmissionpolicy-status-controller',
]

/** With all API groups: it would wait for ever for one that `apiGroups: lean` switches off. */
const STORAGE_CLASSES = 'volumeattributesclass-protection-controller'

/** Since Kubernetes 1.36, and only where the feature gate GenericWorkload has kube-apiserver protect pod groups. */
const POD_GROUPS = 'podgroup-protection-controller'

/**
 * The controllers of a plane whose pods run on a host cluster. Volumes, addresses and routes are the host's: what would
 * give them out here as well is off.
 */
const SYNCED = [
  '*',
  '-node-ipam-controller',
  '-node-route-controller',
  '-persistentvolume-attach-detach-controller',
  '-persistentvolume-binder-controller',
  '-persistentvolume-expander-controller',
  '-service-lb-controller',
]

function controllersOf(spec: PlaneSpec, profile: Layout['profile']): readonly string[] {
  if (profile === 'synced') {
    return SYNCED
  }
  if (profile === 'full') {
    return ['*', 'bootstrap-signer-controller', 'token-cleaner-controller']
  }
  return [
    ...NODELESS,
    ...(spec.apiGroups === 'lean' ? [] : [STORAGE_CLASSES]),
    ...(minorOf(spec.version) >= 36 && spec.featureGates['GenericWorkload'] === true
      ? [POD_GROUPS]
      : []),
  ]
}

/**
 * The arguments of kube-controller-manager. It gets no `--authentication-kubeconfig` and no
 * `--authorization-kubeconfig`: with them it exits while the API server is not there yet and comes back late.
 *
 * @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed flag.
 */
export function controllerManagerArguments(spec: PlaneSpec, layout: Layout): string[] {
  const { configurationFolder, controllerManager, pkiFolder, profile } = layout
  const isLean = spec.apiGroups === 'lean' && profile === 'nodeless'
  return mergeArguments({
    component: 'kube-controller-manager',
    managed: {
      'authorization-always-allow-paths': '/healthz,/readyz,/livez,/metrics',
      'bind-address': controllerManager.bindAddress,
      'client-ca-file': `${pkiFolder}/client-ca.crt`,
      'cluster-signing-cert-file': `${pkiFolder}/signing-ca.crt`,
      'cluster-signing-key-file': `${pkiFolder}/signing-ca.key`,
      kubeconfig: `${configurationFolder}/controller-manager.kubeconfig`,
      'leader-elect': String(controllerManager.leaderElect),
      'requestheader-client-ca-file': `${pkiFolder}/front-proxy-ca.crt`,
      'root-ca-file': `${pkiFolder}/ca.crt`,
      'secure-port': String(controllerManager.port),
      'service-account-private-key-file': `${pkiFolder}/sa.key`,
      'tls-cert-file': `${pkiFolder}/controller-manager-server.crt`,
      'tls-private-key-file': `${pkiFolder}/controller-manager-server.key`,
      'use-service-account-credentials': 'true',
      ...featureGates({ ...(isLean ? LEAN_GATES : {}), ...spec.featureGates }),
      ...emulatedVersion(spec),
    },
    unset: ['authentication-kubeconfig', 'authorization-kubeconfig', 'feature-gates', 'master'],
    defaults: {
      'cluster-signing-duration': '720h',
      controllers: controllersOf(spec, profile).join(','),
      'kube-api-burst': '200',
      'kube-api-qps': '100',
      profiling: 'false',
      'tls-min-version': 'VersionTLS12',
    },
    user: spec.controllerManager.extraArgs,
  })
}
