import type { KubeConnection } from '../../../src/kube/connection.ts'
import { recordsAt, textAt } from '../../../src/shared/json-fields.ts'
import { parseYaml } from '../../../src/shared/yaml/yaml.ts'
import type { HostCli } from './host-cli.ts'

/** The data of a Secret of the host as text; empty while it is missing. */
export async function secretData(
  cli: Pick<HostCli, 'host'>,
  { name, namespace }: { name: string; namespace: string },
): Promise<Record<string, string>> {
  const flags = ['--namespace', namespace, '--ignore-not-found', '--output=jsonpath={.data}']
  const data: Record<string, string> = JSON.parse(
    (await cli.host(['get', 'secret', name, ...flags])) || '{}',
  )
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )
}

/** The connection that a kubeconfig describes, whose parts are embedded. */
export function connectionIn(kubeconfig: string): KubeConnection {
  const config = parseYaml(kubeconfig, 'the kubeconfig')
  const [cluster] = recordsAt(config, 'clusters')
  const [user] = recordsAt(config, 'users')
  const decoded = (value: string | undefined) =>
    value === undefined ? undefined : Buffer.from(value, 'base64').toString()
  return {
    server: textAt(cluster, 'cluster', 'server') ?? '',
    certificateAuthority: decoded(textAt(cluster, 'cluster', 'certificate-authority-data')),
    certificate: decoded(textAt(user, 'user', 'client-certificate-data')),
    key: decoded(textAt(user, 'user', 'client-key-data')),
    token: textAt(user, 'user', 'token'),
  }
}
