import type { PlaneSpec } from '../../spec/spec.ts'
import { emulatedVersion } from './emulated-version.ts'
import type { Layout } from './layout.ts'
import { featureGates, mergeArguments } from './merge-arguments.ts'

/** It does not ask the API server about clients. @throws {VplaneError} `INVALID_SPEC` for a managed flag. */
export function schedulerArguments(
  spec: PlaneSpec & Required<Pick<PlaneSpec, 'scheduler'>>,
  { configurationFolder, pkiFolder, scheduler }: Layout & Required<Pick<Layout, 'scheduler'>>,
): string[] {
  return mergeArguments({
    component: 'kube-scheduler',
    managed: {
      'authorization-always-allow-paths': '/healthz,/readyz,/livez,/metrics',
      'bind-address': scheduler.bindAddress,
      'client-ca-file': `${pkiFolder}/client-ca.crt`,
      kubeconfig: `${configurationFolder}/scheduler.kubeconfig`,
      'leader-elect': String(scheduler.leaderElect),
      'requestheader-client-ca-file': `${pkiFolder}/front-proxy-ca.crt`,
      'secure-port': String(scheduler.port),
      'tls-cert-file': `${pkiFolder}/scheduler-server.crt`,
      'tls-private-key-file': `${pkiFolder}/scheduler-server.key`,
      ...featureGates(spec.featureGates),
      ...emulatedVersion(spec),
    },
    // With its own configuration file it would ignore the flags for the kubeconfig and leader election.
    unset: [
      'authentication-kubeconfig',
      'authorization-kubeconfig',
      'config',
      'feature-gates',
      'master',
    ],
    defaults: {
      'kube-api-burst': '200',
      'kube-api-qps': '100',
      profiling: 'false',
      'tls-min-version': 'VersionTLS12',
    },
    user: spec.scheduler.extraArgs,
  })
}
