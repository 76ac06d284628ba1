import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { PlaneSpec } from '../spec/spec.ts'
import { ownStoreOf } from '../store/store.ts'
import { etcdConfiguration } from './arguments/etcd-configuration.ts'
import { ETCD_FILE, type Layout } from './arguments/layout.ts'

/**
 * The files in the configuration folder, by name: paths of keys and no secrets, as JSON, which every YAML parser reads.
 * @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed setting.
 */
export function configurationFiles(spec: PlaneSpec, layout: Layout): Record<string, string> {
  const etcd =
    ownStoreOf(spec) === 'etcd'
      ? { [layout.etcd.configurationFile ?? ETCD_FILE]: etcdConfiguration(spec, layout) }
      : {}
  return {
    ...etcd,
    ...omitUndefined({
      'authentication.json': authenticationConfiguration(spec),
      'audit-policy.json': spec.audit && format(auditPolicy(spec.audit)),
      'controller-manager.kubeconfig': kubeconfig('controller-manager', layout),
      'scheduler.kubeconfig': layout.scheduler && kubeconfig('scheduler', layout),
    }),
  }
}

/** Allows anonymous requests to the health endpoints only (KEP-4633). */
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

/** Users may leave out `apiVersion` and `kind`. */
function auditPolicy({ policy }: NonNullable<PlaneSpec['audit']>): Record<string, unknown> {
  return { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...policy }
}

/** The kubeconfig of a component, which authenticates with the certificate `<user>.crt`. */
function kubeconfig(user: string, { apiServer, pkiFolder }: Layout): string {
  const name = `kube-${user}`
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
