import type { ProgramName } from '../plane/plane.ts'
import type { PlaneSpec } from '../spec/spec.ts'
import { etcdConfiguration } from './arguments/etcd-configuration.ts'
import { ETCD_FILE, type Layout } from './arguments/layout.ts'

/**
 * The files in the configuration folder, by name: none of them is secret, keys are referred to by path. JSON, which
 * every reader of YAML takes.
 *
 * @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed setting.
 */
export function configurationFiles(spec: PlaneSpec, layout: Layout): Record<string, string> {
  return {
    [layout.etcd.configurationFile ?? ETCD_FILE]: etcdConfiguration(spec, layout),
    'authentication.json': authenticationConfiguration(spec),
    ...(spec.audit === undefined ? {} : { 'audit-policy.json': format(auditPolicy(spec.audit)) }),
    'controller-manager.kubeconfig': kubeconfig(
      'kube-controller-manager',
      'controller-manager',
      layout,
    ),
    ...(layout.scheduler === undefined
      ? {}
      : { 'scheduler.kubeconfig': kubeconfig('kube-scheduler', 'scheduler', layout) }),
  }
}

/** Anonymous requests reach the health endpoints alone (KEP-4633); JWT authenticators are the user's. */
function authenticationConfiguration(spec: PlaneSpec): string {
  return format({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: spec.authentication.jwt,
    anonymous: {
      enabled: true,
      conditions: ['/livez', '/readyz', '/healthz'].map((path) => ({ path })),
    },
  })
}

/** What every Policy is called need not be said. */
function auditPolicy({ policy }: NonNullable<PlaneSpec['audit']>): Record<string, unknown> {
  return { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...policy }
}

/** The way of a component to the API, by the certificate that is called `<user>.crt`. */
function kubeconfig(name: ProgramName, user: string, { apiServer, pkiFolder }: Layout): string {
  return format({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server: apiServer.url, 'certificate-authority': `${pkiFolder}/ca.crt` } },
    ],
    users: [
      {
        name,
        user: {
          'client-certificate': `${pkiFolder}/${user}.crt`,
          'client-key': `${pkiFolder}/${user}.key`,
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}

function format(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
