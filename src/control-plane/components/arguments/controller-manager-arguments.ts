import { minorOf } from '../../spec/kubernetes-version.ts'
import type { PlaneSpec } from '../../spec/spec.ts'
import { leanGates } from './api-groups.ts'
import { emulatedVersion } from './emulated-version.ts'
import type { Layout } from './layout.ts'
import { featureGates, mergeArguments } from './merge-arguments.ts'

/**
 * The controllers of a nodeless plane: those for namespaces, service accounts, garbage collection, quotas, roles and
 * certificate requests, and those that remove the finalizers that kube-apiserver adds
 * (.github/decisions/0011-no-finalizer-without-its-controller.md). Every supported minor has all of them under these names.
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

/** Only with all API groups: it would wait forever for one that `apiGroups: lean` disables. */
const STORAGE_CLASSES = 'volumeattributesclass-protection-controller'

/** Since Kubernetes 1.36, and only if kube-apiserver protects pod groups, with the feature gate GenericWorkload. */
const POD_GROUPS = 'podgroup-protection-controller'

/**
 * The host assigns volumes and addresses, so the controllers for them are disabled. Those of cloud providers, for routes and
 * load balancers, do nothing up to Kubernetes 1.36, and 1.37 does not start with their names.
 */
const SYNCED = [
  '*',
  '-node-ipam-controller',
  '-persistentvolume-attach-detach-controller',
  '-persistentvolume-binder-controller',
  '-persistentvolume-expander-controller',
]

/**
 * Without `--authentication-kubeconfig` and `--authorization-kubeconfig`: with them kube-controller-manager exits if
 * the API server does not answer yet, and restarts late.
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
      ...featureGates({ ...(isLean ? leanGates(spec.version) : {}), ...spec.featureGates }),
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

function controllersOf(spec: PlaneSpec, profile: Layout['profile']): readonly string[] {
  if (profile === 'synced') {
    return SYNCED
  }
  if (profile === 'full') {
    return ['*', 'bootstrap-signer-controller', 'token-cleaner-controller']
  }
  const hasPodGroups = minorOf(spec.version) >= 36 && spec.featureGates['GenericWorkload'] === true
  return [
    ...NODELESS,
    ...(spec.apiGroups === 'lean' ? [] : [STORAGE_CLASSES]),
    ...(hasPodGroups ? [POD_GROUPS] : []),
  ]
}
